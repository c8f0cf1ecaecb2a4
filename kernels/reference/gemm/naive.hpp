// The reference: the triple loop, one thread, accumulated in double (s8: in 32-bit integers, exactly).
//
// It is right by construction, and the order of each element's sum is p = 0 ... k-1. It verifies all other
// variants, so it may not be hopeless either: B is widened tile by tile (64 rows of 512, in the L2 cache),
// and the innermost loop adds multiples of such rows to a row of C, which compilers vectorise. The result
// is KS_F64, or KS_S32 for s8, dense.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep {

extern const ks_variant kGemmNaive;

}  // namespace kernsweep
