// The operands of a job: which the kernel needs, where the host keeps them, and how they look to the
// kernel.
#pragma once

#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/result.hpp"
#include "shared/tensors/mapping.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

class Operands {
 public:
  // Asks the family for its inputs and writes the request for the agent. `sweep_seed` and the operand's
  // name give its seed, so that points of equal shape share it. `choices`: what the sweep file says by
  // input.<name>; see docs/tensors.md.
  Status request(const ks_family& family, const ks_params& params, std::uint64_t sweep_seed,
                 const std::vector<std::pair<std::string, std::string>>& choices,
                 wire::TensorRequests& out);

  // Maps what the agent has made. Mappings of the job before that are the same are kept.
  Status map(const wire::TensorRequests& requests, const wire::TensorReplies& replies);

  const std::vector<ks_tensor>& tensors() const { return tensors_; }
  // Canonical text of all specifications: two jobs with equal texts have equal operands.
  const std::string& text() const { return text_; }

 private:
  struct Mapped {
    std::string identity;  // not the path: that may be another tensor's by now
    TensorMapping mapping;
  };
  std::vector<ks_input> inputs_;
  std::vector<Mapped> mapped_;
  std::vector<ks_tensor> tensors_;
  std::string text_;
};

// "uniform(-1, 1)", "normal(0, 0.02) density 0.1", "kaiming", "integers(-8, 8)", "file.npy",
// "weights.safetensors:name": what replaces the distribution that the family has chosen. Error: says what
// may stand there.
Status choose_distribution(const std::string& text, wire::TensorSpec& spec);

}  // namespace kernsweep
