// Waits for a short child process, and collects its output and how it ended.
#pragma once

#include <optional>
#include <string>

#include "shared/base/instant.hpp"
#include "worker/process/process.hpp"

namespace kernsweep {

struct ExitedProcess {
  bool in_time = false;                 // it closed its output and ended within the limit
  std::string output;                   // its stdout, complete only if `in_time`
  std::optional<Child::Ending> ending;  // nothing: it was killed and has not ended yet
};

// Waits until the child (launched with `capture_output`) has closed its output and ended. Its stderr is
// read and discarded, because a child whose pipe is full would block. After `limit` its process group is
// killed, and the wait continues for one more second.
ExitedProcess run_to_exit(Child& child, Duration limit);

}  // namespace kernsweep
