// The parameters and operands of a point as Python's objects.
#pragma once

#include "kernels/python/cpython.hpp"

#include <string>

#include "kernels/api/pack.h"

namespace kernsweep::python {

struct Parameters {
  Ref values;    // a dict: the axes under names that are valid in Python
  Ref operands;  // a dict: arrays of NumPy over the memory of the inputs, or memoryviews where there is no
                 // NumPy
};

// Operands have two names. "operand.x", a text, describes an operand that the sweep requests; these are the
// inputs in the order of their names. "input.x", a number, is the index of an input, for a reference. Only
// those of role in_place are writable. Returns KS_OK, or a status with its reason.
ks_status parameters_of(const ks_params& params, const ks_tensor* inputs, Parameters& out,
                        std::string& why);

}  // namespace kernsweep::python
