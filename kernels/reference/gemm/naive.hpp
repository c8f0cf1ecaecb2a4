// The reference: each element of C by itself, its products added in double one after the other, p = 0 ...
// k-1 (s8: exactly, because no such sum comes near 2^53), then its epilogue in double too.
//
// It verifies all other variants, so it must be fast enough for products that are swept, such as
// 8192-cubes. The threads of the job share the blocks of C; a block's operands are converted panel by panel
// to doubles that stay in the L2 and L1 caches, and a tile of C in registers adds their products
// (sum_tile.hpp). Neither blocks nor threads change the order of a sum: the bits are the same for any
// number of threads. The result is KS_F64, or KS_S32 for s8, dense.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep {

extern const ks_variant kGemmNaive;

}  // namespace kernsweep
