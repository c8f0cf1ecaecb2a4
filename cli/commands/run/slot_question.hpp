// Runs a query in a separate slot process with exactly the environment of a job. A library or module that
// crashes, hangs or prints only affects its own answer.
#pragma once

#include <string>
#include <vector>

#include "worker/process/process.hpp"

namespace kernsweep {

struct SlotAnswer {
  bool good = false;            // the slot ended with status 0
  bool late = false;            // there was no answer in time
  std::string runtime, reason;  // what the library reports about itself; why it failed (empty if `good`)
};

// Starts kernsweep-slot. `arguments`: such as "--runtime PACK FAMILY VARIANT ..."; `environment`: entries
// "NAME=value". The caller owns the process.
Result<Child> ask_slot(std::vector<std::string> arguments, std::vector<std::string> environment);
// Waits at most 20 s for the end of that process. An error of ask_slot() becomes an answer with its reason.
SlotAnswer answer_of(Result<Child>& child);

}  // namespace kernsweep
