// support.py: what the pack does in Python.
#pragma once

#include "kernels/python/cpython.hpp"

#include <string>

namespace kernsweep::python {

// Calls a function of support.py; null, with an exception, on failure. `format` as PyObject_CallFunction
// takes it, in parentheses: "(OiO)".
Ref support(const char* function, const char* format, ...);

// Threads that the loaded libraries of BLAS and OpenMP say they use: "libgomp.so.1: 2 threads; ..."; "":
// none is loaded.
std::string threads_of_libraries();

}  // namespace kernsweep::python
