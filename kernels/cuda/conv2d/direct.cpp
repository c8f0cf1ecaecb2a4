// A convolution by its definition, a thread for each element of the result.
#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/conv2d/direct_arguments.hpp"
#include "kernels/cuda/fatbins.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

class Conv2dDirect : public Conv2dArrays {
 public:
  static void can_run(const conv2d::Problem& problem) { need_our_kernels(problem); }

  Conv2dDirect(const conv2d::Problem& given, pack::Setup& setup)
      : Conv2dArrays(given, WeightOrder::as_given, setup),
        module_(loaded(kernsweep_fatbin_conv2d_direct)),
        kernel_(module_.kernel<Conv2dArguments>(("conv2d_direct_" + name_of_type(problem)).c_str())),
        grid_(grid_for(problem.output_elements(), kBlockThreads, device)),
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
