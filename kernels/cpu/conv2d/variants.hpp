// The ways to convolve on a processor, beside the reference.
#pragma once

#include "kernels/reference/conv2d/variant.hpp"

namespace kernsweep::conv2d {

extern const ks_variant kVectorised;  // our own, direct
extern const ks_variant kIm2col;      // gather, then any CBLAS
extern const ks_variant kOnednn;

}  // namespace kernsweep::conv2d
