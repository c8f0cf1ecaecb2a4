// The files that a program is made of besides its own: the shared libraries that the dynamic linker would
// load for it, and the interpreter that the first line of a script names.
//
// The program's dynamic linker is asked (`ld.so --list`; where a library is missing, as ldd asks it),
// because only it knows RPATH, RUNPATH, LD_LIBRARY_PATH, LD_PRELOAD, its cache and the processor's folders
// as it will use them. Nothing of the program runs. It takes a millisecond. Not found: what a program opens
// by itself (dlopen).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

struct LinkedFile {
  std::string name;  // as the program names it: "libk.so"
  std::string path;  // seen from the working directory; "": the dynamic linker does not find it
  friend auto operator<=>(const LinkedFile&, const LinkedFile&) = default;
};

// `environment`: "NAME=value" lines, as the program would get them. Empty for a program that is linked
// statically, for data, and where the dynamic linker cannot be asked. `folder`: the one that the program
// starts in, with '/' at the end; "": the working directory.
std::vector<LinkedFile> linked_files(const std::string& program,
                                     const std::vector<std::string>& environment,
                                     const std::string& folder = "");

// What `ld.so --list` has printed.
std::vector<LinkedFile> linked_files_in(std::string_view printed);

// Whether the file belongs to the system's packages, which replace it while no sweep runs.
bool is_of_system(std::string_view path);

}  // namespace kernsweep
