// Marks what both the host and the GPU compute, so that the arithmetic of a kernel is written once: the
// kernel, the reference and the tests share it; and loops of a kernel that keep arrays in registers only
// when each turn is written out.
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
