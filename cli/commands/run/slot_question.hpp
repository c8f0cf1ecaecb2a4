// A question to a slot process of its own, with exactly the environment that a job would have: a library or
// a module that crashes, hangs or prints costs its own answer.
#pragma once

#include <string>
#include <vector>

#include "worker/process/process.hpp"

namespace kernsweep {

struct SlotAnswer {
  bool good = false;            // the slot said yes
  std::string runtime, reason;  // what it said; with `good` no reason
};

// `arguments`: of kernsweep-slot, as "--runtime PACK FAMILY VARIANT ..."; `environment`: "NAME=value"
// lines.
Result<Child> ask_slot(std::vector<std::string> arguments, std::vector<std::string> environment);
// Waits for it, 20 s at most. A process that could not be started is an answer too.
SlotAnswer answer_of(Result<Child>& asked);

}  // namespace kernsweep
