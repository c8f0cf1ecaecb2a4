// The family gemm (kernels/reference/gemm) on a GPU: the same parameters, work, tolerance and reference.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

extern const ks_variant kGemmCudaNaive;   // a thread per element
extern const ks_variant kGemmCudaTiled;   // tiles in shared memory, their sizes to be swept
extern const ks_variant kGemmCudaTensor;  // tensor cores, by mma.sync
extern const ks_variant kGemmCudaWgmma;   // tensor cores of compute capability 9.0, by wgmma
extern const ks_variant kGemmCublas;      // cublasGemmEx
extern const ks_variant kGemmCublasLt;    // cublasLtMatmul

extern const ks_family kGemmFamily;

}  // namespace kernsweep::cuda
