// The fat binaries of this pack's kernels; nvcc makes each from the .cu file of the same name.
#pragma once

#pragma GCC visibility push(hidden)
extern "C" {
extern const unsigned char kernsweep_fatbin_conv2d_direct[];
extern const unsigned char kernsweep_fatbin_gemm_naive[];
extern const unsigned char kernsweep_fatbin_gemm_tiled_bf16[];
extern const unsigned char kernsweep_fatbin_gemm_tiled_f16[];
extern const unsigned char kernsweep_fatbin_gemm_tiled_f32[];
extern const unsigned char kernsweep_fatbin_gemm_tiled_f64[];
extern const unsigned char kernsweep_fatbin_gemm_tiled_s8[];
extern const unsigned char kernsweep_fatbin_gemm_wgmma[];
extern const unsigned char kernsweep_fatbin_launch[];
extern const unsigned char kernsweep_fatbin_memory[];
extern const unsigned char kernsweep_fatbin_philox[];
extern const unsigned char kernsweep_fatbin_roof[];
extern const unsigned char kernsweep_fatbin_stream[];
extern const unsigned char kernsweep_fatbin_transfer[];
}
#pragma GCC visibility pop
