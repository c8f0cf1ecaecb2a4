// The fat binaries as data.
#include "kernels/cuda/fatbins.hpp"

#include "kernels/cuda/fatbin_data.hpp"

KERNSWEEP_FATBIN(conv2d_direct);
KERNSWEEP_FATBIN(gemm_naive);
KERNSWEEP_FATBIN(gemm_tiled_bf16);
KERNSWEEP_FATBIN(gemm_tiled_f16);
KERNSWEEP_FATBIN(gemm_tiled_f32);
KERNSWEEP_FATBIN(gemm_tiled_f64);
KERNSWEEP_FATBIN(gemm_tiled_s8);
KERNSWEEP_FATBIN(gemm_wgmma);
KERNSWEEP_FATBIN(launch);
KERNSWEEP_FATBIN(memory);
KERNSWEEP_FATBIN(philox);
KERNSWEEP_FATBIN(roof);
KERNSWEEP_FATBIN(stream);
KERNSWEEP_FATBIN(transfer);
