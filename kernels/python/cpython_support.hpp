// support.py: the part of the pack that is written in Python.
#pragma once

#include "kernels/python/cpython.hpp"

#include <string>

namespace kernsweep::python {

// Calls a function of support.py; null, with an exception, on failure. `format` as for
// PyObject_CallFunction, in parentheses: "(OiO)".
Ref support(const char* function, const char* format, ...);

// Numbers of threads that the loaded BLAS and OpenMP libraries report: "libgomp.so.1: 2 threads; ..."; ""
// if none is loaded.
std::string threads_of_libraries();

}  // namespace kernsweep::python
