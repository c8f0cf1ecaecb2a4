// Both operands must be contiguous along k, because ldmatrix cannot transpose single bytes.
#include "kernels/cuda/gemm/tensor_kernel.hpp"

using namespace kernsweep::cuda;

#define KERNSWEEP_TENSOR_s8(tile_m, tile_n, warp_m, warp_n) \
  KERNSWEEP_GEMM_TENSOR(nt, s8, std::int8_t, false, true, tile_m, tile_n, warp_m, warp_n)
KERNSWEEP_TENSOR_SHAPES(KERNSWEEP_TENSOR_s8)
