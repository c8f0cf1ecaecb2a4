// A convolution by its definition, a thread for each element of the result.
#include <string>

#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/conv2d/conv2d_arrays.hpp"
#include "kernels/cuda/conv2d/direct_kernel.hpp"
#include "kernels/cuda/fatbins.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kElementThreads = 256;

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

class Conv2dDirect : public Conv2dArrays {
 public:
  static void can_run(const conv2d::Problem& problem) {
    need_no_epilogue(problem);
    if (problem.tf32)
      throw Failure(
          KS_UNSUPPORTED,
          "this variant multiplies f32 as they are; take dtype f32, or the variant cudnn for tf32");
  }

  Conv2dDirect(const conv2d::Problem& given, pack::Setup& setup)
      : Conv2dArrays(given, WeightOrder::as_given, setup),
        module_(loaded(kernsweep_fatbin_conv2d_direct)),
        kernel_(module_.kernel<Conv2dArguments>(
            ("conv2d_direct_" + std::string(name_of(problem.dtype))).c_str())),
        grid_(grid_for(problem.output_elements(), kElementThreads, device)),
        arguments_(arguments_of(problem, images.address(), weights.address(), results.address())) {}

  void start() {
    if (problem.batch > 0) launch(kernel_, grid_, stream, arguments_);
  }

 private:
  const Module& module_;
  Kernel<Conv2dArguments> kernel_;
  Grid grid_;
  Conv2dArguments arguments_;
};

}  // namespace

pack::Variant conv2d_direct() {
  return device_variant<Conv2dDirect>("cuda_direct", "a GPU: a thread for each element of the result");
}

}  // namespace kernsweep::cuda
