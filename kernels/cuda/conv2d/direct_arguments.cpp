#include "kernels/cuda/conv2d/direct_arguments.hpp"

namespace kernsweep::cuda {

void need_our_kernels(const conv2d::Problem& problem) {
  need_no_epilogue(problem);
  if (problem.tf32)
    throw Failure(KS_UNSUPPORTED,
                  "this variant multiplies f32 as they are; take dtype f32, or the variant cudnn for tf32");
}

Conv2dArguments arguments_of(const conv2d::Problem& problem, const void* images, const void* weights,
                             void* results) {
  const conv2d::ImageStrides from = problem.input_strides();
  return {.images = images,
          .weights = weights,
          .results = results,
          .count = problem.output_elements(),
          .h = problem.h,
          .w = problem.w,
          .kh = problem.kh,
          .kw = problem.kw,
          .h_out = problem.h_out,
          .w_out = problem.w_out,
          .stride = problem.stride,
          .padding = problem.padding,
          .dilation = problem.dilation,
          .c_out = problem.c_out,
          .group_in = problem.group_in(),
          .group_out = problem.group_out(),
          .from = {from.n, from.c, from.h, from.w},
          .channels_last = problem.channels_last};
}

std::string name_of_type(const conv2d::Problem& problem) {
  return std::string(name_of(problem.dtype));
}

}  // namespace kernsweep::cuda
