// The library of C++ that a Python must load before kernsweep-slot.so.
#pragma once

#include <string>

namespace kernsweep {

// The path of the newest libstdc++ of this host: the interpreter's own (environments of conda have one),
// the system's, or the one that came with Kernsweep; "": the last, which kernsweep-slot.so finds by itself.
// The one that a process loads first is that of all its modules, and one that is older than they need fails
// their import.
std::string newest_cpp_library(const std::string& interpreter);

}  // namespace kernsweep
