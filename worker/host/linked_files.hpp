// The other files that a program consists of: the shared libraries that the dynamic linker would load for
// it, and the interpreter in the first line of a script.
//
// The program's dynamic linker lists them (`ld.so --list`; if a library is missing, in the way of ldd),
// because only it knows how it will use RPATH, RUNPATH, LD_LIBRARY_PATH, LD_PRELOAD, its cache and the
// processor's folders. Nothing of the program runs. It takes a millisecond. Not found: libraries that a
// program opens at run time (dlopen).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

struct LinkedFile {
  std::string name;  // the program's name for it: "libk.so"
  std::string path;  // relative to the working directory; "": the dynamic linker does not find it
  friend auto operator<=>(const LinkedFile&, const LinkedFile&) = default;
};

// `environment`: "NAME=value" lines of the program. Empty for a program that is linked statically, for
// data, and if the dynamic linker cannot be asked. `folder`: where the program starts, with '/' at the end;
// "": the working directory.
std::vector<LinkedFile> linked_files(const std::string& program,
                                     const std::vector<std::string>& environment,
                                     const std::string& folder = "");

// Parses the output of `ld.so --list`.
std::vector<LinkedFile> linked_files_in(std::string_view printed);

// Whether the file belongs to the system's packages, which replace it only while no sweep runs.
bool is_of_system(std::string_view path);

}  // namespace kernsweep
