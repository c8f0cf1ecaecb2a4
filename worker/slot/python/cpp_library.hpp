// The C++ library that a Python must load before kernsweep-slot.so.
#pragma once

#include <string>

namespace kernsweep {

// The path of the newest libstdc++ of this host: the interpreter's own (environments of conda have one),
// the system's, or the one of Kernsweep's package; "": the last one, which kernsweep-slot.so finds
// automatically. All modules of a process use the library that is loaded first, and the import of a module
// fails if it is older than the module needs.
// their import.
std::string newest_cpp_library(const std::string& interpreter);

}  // namespace kernsweep
