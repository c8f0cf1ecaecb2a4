// A product of our own: cache blocks, packed panels, a register tile (Goto and van de Geijn 2008; the loop
// nest is that of BLIS, Van Zee and van de Geijn 2015), threads by oneTBB.
//
//   for each block_n columns of C                 B's panel: block_k x block_n, packed, for all threads
//     for each block_k of the sum                 A's panel: m x block_k, packed, for all threads
//       tasks: block_m rows x a share of columns  A's block stays in the L2 cache
//         for each sliver of B                    stays in the L1 cache
//           for each sliver of A: the register tile
//
// An epilogue is a separate pass afterwards (epilogue_pass.hpp).
//
// The order of each element's sum depends on block_k alone: the same output for any number of threads.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep {

extern const ks_variant kGemmBlocked;

}  // namespace kernsweep
