// Reads the metrics of a kernel: its attribute `metrics`, a mapping of names to numbers, or to tuples of a
// number, "larger" or "smaller", and a unit.
#pragma once

#include <cstddef>

#include "kernels/python/cpython.hpp"

#include "kernels/api/pack.h"

namespace kernsweep::python {

// Returns the number of entries written. Invalid entries are left out; no exception stays set.
std::size_t metrics_of(PyObject* kernel, ks_declared_metric* out, std::size_t capacity);

}  // namespace kernsweep::python
