// The one interpreter of this process. Started when the first point asks for it, never stopped: modules
// such as numpy cannot be loaded twice.
#pragma once

#include <string>

namespace kernsweep::python {

// Starts it unless it runs. The working directory comes first on sys.path; no signal handler is installed
// and no bytecode written. Empty: done. Else why not.
std::string start_interpreter();

// "CPython 3.11.2"
const char* interpreter_version();

}  // namespace kernsweep::python
