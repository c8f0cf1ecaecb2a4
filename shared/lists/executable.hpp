// The file behind the first word of a command: what the pack starts, and what `run` and `check` look for.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace kernsweep::command {

struct Executable {
  std::string path;    // the file to start; empty: there is none
  std::string reason;  // why there is none, and what to do
  // Which file it is, and since when; 0 if there is none.
  std::uint64_t device = 0, inode = 0;
  std::int64_t changed_ns = 0;
};

// `name` with a slash: that file, relative to the working directory. Without: the first file of that name
// in a folder of `path` that may be executed. `path`: folders as $PATH has them; null: none.
Executable find_executable(const std::string& name, const char* path = std::getenv("PATH"));

// The names that find_executable() would find in the folders where it looks for `name`, as they would be
// written in its place.
std::vector<std::string> other_executables(const std::string& name, const char* path);

// The path of the file with all links resolved; as given where that fails. Links are followed again only if
// the path leads to another file than at the last call. One thread at a time.
const std::string& real_path(const Executable& program);

// True if a regular file is there; links are followed.
bool is_file(const std::string& path);

}  // namespace kernsweep::command
