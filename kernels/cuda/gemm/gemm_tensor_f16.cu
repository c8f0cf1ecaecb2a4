#include "kernels/cuda/gemm/tensor_kernel.hpp"

using namespace kernsweep::cuda;

#define KERNSWEEP_TENSOR_f16(tile_m, tile_n, warp_m, warp_n)                        \
  KERNSWEEP_GEMM_TENSOR(nn, f16, F16, false, false, tile_m, tile_n, warp_m, warp_n) \
  KERNSWEEP_GEMM_TENSOR(nt, f16, F16, false, true, tile_m, tile_n, warp_m, warp_n)  \
  KERNSWEEP_GEMM_TENSOR(tn, f16, F16, true, false, tile_m, tile_n, warp_m, warp_n)  \
  KERNSWEEP_GEMM_TENSOR(tt, f16, F16, true, true, tile_m, tile_n, warp_m, warp_n)
KERNSWEEP_TENSOR_SHAPES(KERNSWEEP_TENSOR_f16)
