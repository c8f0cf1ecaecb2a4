#include "kernels/cuda/gemm/tensor_kernel.hpp"

using namespace kernsweep::cuda;

#define KERNSWEEP_TENSOR_tf32(tile_m, tile_n, warp_m, warp_n)                         \
  KERNSWEEP_GEMM_TENSOR(nn, tf32, Tf32, false, false, tile_m, tile_n, warp_m, warp_n) \
  KERNSWEEP_GEMM_TENSOR(nt, tf32, Tf32, false, true, tile_m, tile_n, warp_m, warp_n)  \
  KERNSWEEP_GEMM_TENSOR(tn, tf32, Tf32, true, false, tile_m, tile_n, warp_m, warp_n)  \
  KERNSWEEP_GEMM_TENSOR(tt, tf32, Tf32, true, true, tile_m, tile_n, warp_m, warp_n)
KERNSWEEP_TENSOR_SHAPES(KERNSWEEP_TENSOR_tf32)
