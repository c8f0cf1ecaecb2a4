#include <array>

#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/reference/conv2d/naive.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kVariants = {
    &kConv2dDirect,
    &kConv2dImplicitGemm,
#if defined(KERNSWEEP_WITH_CUDNN)
    &kConv2dCudnn,
#endif
    &conv2d::kNaive,
};

}  // namespace

const ks_family kConv2dFamily = conv2d::family_of(kVariants.data(), kVariants.size());

}  // namespace kernsweep::cuda
