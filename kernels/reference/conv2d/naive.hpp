// The reference: the sum of the definition, one product after the other, in f64.
//
// Each image is first written out as f64 with its zeros around it, so that the sum itself knows nothing of
// types, layouts and edges. The innermost loop goes along a row of the result: a processor does that fast
// enough to verify every layer of a ResNet in a fraction of a second, and each element is still summed in
// the order of the definition. Products of all its types are exact in
// f64; those of tf32 are of the f32 as they are.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep::conv2d {

extern const ks_variant kNaive;

}  // namespace kernsweep::conv2d
