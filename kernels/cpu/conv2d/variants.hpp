// The variants for processors, without the reference.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep::conv2d {

pack::Variant vectorised();  // our own direct convolution
pack::Variant im2col();      // gathers, then calls any CBLAS
pack::Variant onednn();

}  // namespace kernsweep::conv2d
