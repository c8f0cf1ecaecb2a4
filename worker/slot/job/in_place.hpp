// Operands that a call may overwrite, as sorting in place does (ks_family::in_place): the kernel gets them
// in memory of the job, where their content is restored before each call. The host's own copy stays sealed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/outcome.hpp"
#include "worker/slot/job/guarded_memory.hpp"

namespace kernsweep {

class InPlace {
 public:
  struct Failure {
    Outcome outcome = Outcome::failed_setup;  // or out_of_memory
    std::string reason;
  };
  // Moves the tensors named `names` into `memory`, where they have no content before restore(). The former
  // data of `tensors` must outlive the object; `operands` are their names, in their order. Returns why it
  // failed: no operand has a name, or there is no memory.
  std::optional<Failure> place(const std::vector<std::string>& names,
                               const std::vector<std::string>& operands, GuardedMemory& memory,
                               std::vector<ks_tensor>& tensors);
  bool empty() const { return all_.empty(); }
  // Writes the content that the operands have at the begin of each call.
  void restore() const;

 private:
  struct Copy {
    const void* from;
    void* to;
    std::size_t bytes;
  };
  std::vector<Copy> all_;
};

}  // namespace kernsweep
