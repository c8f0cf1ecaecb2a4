#include "kernels/cuda/gemm/tensor_kernel.hpp"

using namespace kernsweep::cuda;

#define KERNSWEEP_TENSOR_bf16(tile_m, tile_n, warp_m, warp_n)                         \
  KERNSWEEP_GEMM_TENSOR(nn, bf16, Bf16, false, false, tile_m, tile_n, warp_m, warp_n) \
  KERNSWEEP_GEMM_TENSOR(nt, bf16, Bf16, false, true, tile_m, tile_n, warp_m, warp_n)  \
  KERNSWEEP_GEMM_TENSOR(tn, bf16, Bf16, true, false, tile_m, tile_n, warp_m, warp_n)  \
  KERNSWEEP_GEMM_TENSOR(tt, bf16, Bf16, true, true, tile_m, tile_n, warp_m, warp_n)
KERNSWEEP_TENSOR_SHAPES(KERNSWEEP_TENSOR_bf16)
