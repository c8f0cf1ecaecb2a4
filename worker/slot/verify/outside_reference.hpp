// A reference that a slot cannot compute itself, because it loads only the pack of its jobs: a command or a
// Python function. It is computed by a process of its own, `kernsweep-slot --reference FOLDER`, which never
// runs the kernel that is compared with it.
//
// FOLDER is a temporary one: `task` is its input, `answer` and `output` are its results. The process is
// killed, with all processes that it has started, when it takes too long and when this process ends. The
// folder is removed; that of a killed slot is removed by the next reference on the host.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/value.hpp"
#include "shared/wire/json_tree.hpp"
#include "worker/slot/verify/reference_output.hpp"

namespace kernsweep {

struct OutsideTask {
  struct Operand {
    std::string name, path;  // path: TensorMapping::open
    std::uint64_t bytes = 0;
    std::int32_t dtype = 0;
    std::vector<std::int64_t> shape;
  };
  std::string family;                                 // command or python
  std::vector<std::pair<std::string, Value>> values;  // sorted by name; the values that the family gets
  std::vector<Operand> operands;
  std::uint32_t threads = 1;
  std::uint64_t seed = 0;
  // A function that was written as a reference: it gets only its own parameters, and the operands, and may
  // return the output itself.
  bool is_function = false;
};

// The data that determines the output, except operands.
std::string text_of(const OutsideTask& task);
JsonTree tree_of(const OutsideTask& task);
Result<OutsideTask> outside_task_of(const std::string& text);

struct OutsideAnswer {
  Outcome outcome = Outcome::ok;
  std::string reason;                  // if the outcome is not ok
  ReferenceOutput output;              // if the outcome is not ok: its sources, if known
  std::vector<ReferenceOutput> again;  // of a second run, if it gave other bits: none or one
  // The parameters that a function reads, apart from the operands and the seed. Nothing: it may read all.
  std::optional<std::vector<std::string>> reads;
};

// Computes it in at most `limit`.
OutsideAnswer compute_outside(const OutsideTask& task, Duration limit);

// The process: exit status 0 if an answer was written.
int answer_reference(const std::string& folder);

}  // namespace kernsweep
