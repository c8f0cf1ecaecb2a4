// The only interpreter of this process. Started by the first point that needs it, and never stopped,
// because modules such as numpy cannot be loaded twice.
#pragma once

#include <string>

namespace kernsweep::python {

// Starts the interpreter if it does not run. The working directory comes first on sys.path; no signal
// handler is installed, and no bytecode is written. Returns the reason of a failure; empty: none.
std::string start_interpreter();

// "CPython 3.11.2"
const char* interpreter_version();

}  // namespace kernsweep::python
