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

// Operands come under two names. "operand.x", a text, describes one that the sweep asks for; these are the
// inputs in the order of their names. "input.x", a number, says which input it is, for a reference. Only
// those of role in_place can be written. Returns KS_OK, or a status with its reason.
ks_status parameters_of(const ks_params& params, const ks_tensor* inputs, Parameters& out,
                        std::string& why);

}  // namespace kernsweep::python
