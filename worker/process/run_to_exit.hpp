// A child process that was started to answer one question: what it wrote, and how it ended.
#pragma once

#include <optional>
#include <string>

#include "shared/base/instant.hpp"
#include "worker/process/process.hpp"

namespace kernsweep {

struct ExitedProcess {
  bool in_time = false;                 // all was said, and it has ended
  std::string output;                   // as far as it came
  std::optional<Child::Ending> ending;  // nothing: it lives although it was killed
};

// Waits until the child (launched with `capture_output`) has closed its output and ended. Its errors are
// read away meanwhile, because a child that says much would wait for a reader. After `limit` its group is
// killed, and one more second is left for its end.
ExitedProcess run_to_exit(Child& child, Duration limit);

}  // namespace kernsweep
