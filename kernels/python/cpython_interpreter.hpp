// The interpreter that has loaded this pack (worker/slot/python).
#pragma once

#include <string>

namespace kernsweep::python {

// Puts the working directory first on sys.path, once per process. Returns the reason of a failure, or "".
std::string look_in_working_directory();

// "CPython 3.11.2"
const char* interpreter_version();

}  // namespace kernsweep::python
