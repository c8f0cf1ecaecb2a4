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

const ks_family kConv2dFamily = {.name = "conv2d",
                                 .summary = "forward convolution of images, as in a network's inference",
                                 .params = conv2d::kParams,
                                 .param_count = conv2d::kParamCount,
                                 .reference = "naive",
                                 .inputs = conv2d::inputs,
                                 .work = conv2d::work,
                                 .tolerance = conv2d::tolerance,
                                 .variants = kVariants.data(),
                                 .variant_count = kVariants.size()};

}  // namespace kernsweep::cuda
