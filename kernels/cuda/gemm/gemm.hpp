// The family gemm (kernels/reference/gemm) on a GPU: the same parameters, work, tolerance and reference.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep::cuda {

pack::Variant gemm_cuda_naive();  // a thread per element
pack::Variant gemm_cuda_tiled();  // tiles in shared memory, sizes are settings
pack::Variant gemm_cuda_wgmma();  // tensor cores of compute capability 9.0, by wgmma
pack::Variant gemm_cublas();      // cublasGemmEx
pack::Variant gemm_cublaslt();    // cublasLtMatmul

}  // namespace kernsweep::cuda
