// The file behind the first word of a command.
#pragma once

#include <string>

namespace kernsweep::command {

struct Executable {
  std::string path;    // to start; empty: there is none
  std::string reason;  // why there is none, and what to do
};

// With a slash: that file, seen from the working directory. Without: the first in a folder of $PATH that
// may be executed.
Executable find_executable(const std::string& name);

// Whether a regular file is there, links followed.
bool is_file(const std::string& path);

}  // namespace kernsweep::command
