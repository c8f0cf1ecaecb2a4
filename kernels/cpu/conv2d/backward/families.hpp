// The families conv2d_backward_data and conv2d_backward_weights of the pack conv2d.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep::conv2d::backward {

pack::Family data_family();
pack::Family weights_family();

}  // namespace kernsweep::conv2d::backward
