// The reference: the sum of the definition, one product after the other, in f64.
//
// Each image is first written out as f64 with zeros around it, so that the sum does not depend on types,
// layouts and edges. The innermost loop goes along a row of the result, which is fast enough to verify
// every layer of a ResNet in a fraction of a second, and each element is still summed in the order of the
// definition. Products are exact in f64 for all types; for tf32 the f32 are multiplied unrounded.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep::conv2d {

extern const ks_variant kNaive;

}  // namespace kernsweep::conv2d
