// The reference: each element of C by itself, its products added in double one after the other, p = 0 ...
// k-1 (s8: exactly, because no such sum comes near 2^53), then its epilogue in double too.
//
// It verifies all other variants, so it may not be hopeless either: 8192-cubes are products that people
// sweep. The threads of the job share blocks of C; a block's operands are widened panel by panel into
// doubles that stay in the L2 and L1 caches, and a tile of C in registers takes their products
// (sum_tile.hpp). Neither blocks nor threads reach into the order of a sum: the bits are the same for any
// number of threads. The result is KS_F64, or KS_S32 for s8, dense.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep {

extern const ks_variant kGemmNaive;

}  // namespace kernsweep
