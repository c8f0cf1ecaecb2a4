// The file behind the first word of a command.
#pragma once

#include <string>

namespace kernsweep::command {

struct Executable {
  std::string path;    // the file to start; empty: there is none
  std::string reason;  // why there is none, and what to do
};

// `name` with a slash: that file, relative to the working directory. Without: the first file of that name
// in a folder of $PATH that may be executed.
Executable find_executable(const std::string& name);

// True if a regular file is there; links are followed.
bool is_file(const std::string& path);

}  // namespace kernsweep::command
