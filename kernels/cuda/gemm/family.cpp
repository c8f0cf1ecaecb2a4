#include <array>

#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"
#include "kernels/reference/gemm/naive.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kGemmVariants = {&kGemmCublasLt,  &kGemmCublas,    &kGemmCudaWgmma, &kGemmCudaTensor,
                                  &kGemmCudaTiled, &kGemmCudaNaive, &kGemmNaive};

}  // namespace

const ks_family kGemmFamily = gemm_family_of(kGemmVariants.data(), kGemmVariants.size());

}  // namespace kernsweep::cuda
