// The fat binaries of this pack's kernels, as nvcc made them of the .cu file of the same name.
#pragma once

#pragma GCC visibility push(hidden)
extern "C" {
extern const unsigned char kernsweep_fatbin_conv2d_direct[];
extern const unsigned char kernsweep_fatbin_conv2d_implicit_gemm[];
extern const unsigned char kernsweep_fatbin_launch[];
extern const unsigned char kernsweep_fatbin_memory[];
extern const unsigned char kernsweep_fatbin_philox[];
extern const unsigned char kernsweep_fatbin_roof[];
extern const unsigned char kernsweep_fatbin_stream[];
extern const unsigned char kernsweep_fatbin_transfer[];
}
#pragma GCC visibility pop
