// The variants for processors, without the reference.
#pragma once

#include "kernels/reference/conv2d/variant.hpp"

namespace kernsweep::conv2d {

extern const ks_variant kVectorised;  // our own direct convolution
extern const ks_variant kIm2col;      // gathers, then calls any CBLAS
extern const ks_variant kOnednn;

}  // namespace kernsweep::conv2d
