// Marks functions for both the host and the GPU, so that the kernel, the reference and the tests share the
// arithmetic, and loops of a kernel that must be unrolled to keep arrays in registers.
#pragma once

#if defined(__CUDACC__)
#define KERNSWEEP_HOST_DEVICE __host__ __device__
#define KERNSWEEP_UNROLL _Pragma("unroll")
#define KERNSWEEP_UNROLL_TWO _Pragma("unroll 2")
#define KERNSWEEP_NO_UNROLL _Pragma("unroll 1")
#else
#define KERNSWEEP_HOST_DEVICE
#define KERNSWEEP_UNROLL
#define KERNSWEEP_UNROLL_TWO
#define KERNSWEEP_NO_UNROLL
#endif
