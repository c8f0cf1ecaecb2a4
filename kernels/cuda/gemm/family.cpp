#include <array>

#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"
#include "kernels/reference/gemm/naive.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kGemmVariants = {&kGemmCublasLt,  &kGemmCublas,    &kGemmCudaWgmma, &kGemmCudaTensor,
                                  &kGemmCudaTiled, &kGemmCudaNaive, &kGemmNaive};

}  // namespace

const ks_family kGemmFamily = {.name = "gemm",
                               .summary = "matrix product: C[b] = op(A[b]) op(B[b])",
                               .params = kGemmParams,
                               .param_count = kGemmParamCount,
                               .reference = "naive",
                               .inputs = gemm_inputs,
                               .work = gemm_work,
                               .tolerance = gemm_tolerance,
                               .variants = kGemmVariants.data(),
                               .variant_count = kGemmVariants.size()};

}  // namespace kernsweep::cuda
