// Marks what both the host and the GPU compute, so that the arithmetic of a kernel is written once: the
// kernel, the reference and the tests share it.
#pragma once

#if defined(__CUDACC__)
#define KERNSWEEP_HOST_DEVICE __host__ __device__
#else
#define KERNSWEEP_HOST_DEVICE
#endif
