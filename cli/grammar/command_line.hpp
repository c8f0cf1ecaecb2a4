// The command line, read: which command, with its options filled in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/grammar/command.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct ChosenCommand {
  std::unique_ptr<Command> command;
  Invocation given;
};

// Fills `out` and returns -1, or prints help, version or the error and returns the exit status.
int read_command_line(int argc, char** argv, ChosenCommand& out);

// Whether read_command_line would take these words (without the program), said without a terminal; what
// is only asked for, such as --help, is an error. A launcher asks this of what it gives to `kernsweep
// worker` on other hosts.
Status check_command_line(const std::vector<std::string>& words);

// The same for the options of a worker that joins by a join file.
Status check_worker_options(const std::vector<std::string>& options);

}  // namespace kernsweep
