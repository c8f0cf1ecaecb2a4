// The file that the first word of a command names: the pack starts it, `run` and `check` look for it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace kernsweep::command {

struct Executable {
  std::string path;    // the file to start; empty: there is none
  std::string reason;  // why there is none, and what to do
  // Device, inode and change time of the file; 0 if there is none.
  std::uint64_t device = 0, inode = 0;
  std::int64_t changed_ns = 0;
};

// If `name` has a slash: that file, relative to the working directory. Otherwise: the first executable file
// of that name in a folder of `path`. `path`: folders in the form of $PATH; null: none.
Executable find_executable(const std::string& name, const char* path = std::getenv("PATH"));

// The names that find_executable() would find in the folders that it searches for `name`, in the form that
// would replace `name`.
std::vector<std::string> other_executables(const std::string& name, const char* path);

// The path of the file with all links resolved; unchanged where that fails. Links are resolved again only
// if the path leads to another file than at the last call. One thread at a time.
const std::string& real_path(const Executable& program);

// True if a regular file is there; links are followed.
bool is_file(const std::string& path);

}  // namespace kernsweep::command
