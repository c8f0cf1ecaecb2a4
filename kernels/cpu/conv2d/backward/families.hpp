// The families conv2d_backward_data and conv2d_backward_weights of the pack conv2d.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep::conv2d::backward {

// Made at the first call; they live as long as the process.
const ks_family* data_family();
const ks_family* weights_family();

}  // namespace kernsweep::conv2d::backward
