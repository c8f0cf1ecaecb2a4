// Reads the command line: chooses the command and sets its options.
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

// Checks if read_command_line would accept these words (without the program), without printing anything.
// --help and --version are errors here. Launchers check with it the command lines for other hosts.
Status check_command_line(const std::vector<std::string>& words);

// The same for the options of a worker that joins by a join file.
Status check_worker_options(const std::vector<std::string>& options);

}  // namespace kernsweep
