// The file behind the first word of a command.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep::command {

struct Executable {
  std::string path;    // the file to start; empty: there is none
  std::string reason;  // why there is none, and what to do
  // Which file it is, and since when; 0 if there is none.
  std::uint64_t device = 0, inode = 0;
  std::int64_t changed_ns = 0;
};

// `name` with a slash: that file, relative to the working directory. Without: the first file of that name
// in a folder of $PATH that may be executed.
Executable find_executable(const std::string& name);

// The path of the file with all links resolved; as given where that fails. Links are followed again only if
// the path leads to another file than at the last call. One thread at a time.
const std::string& real_path(const Executable& program);

// True if a regular file is there; links are followed.
bool is_file(const std::string& path);

}  // namespace kernsweep::command
