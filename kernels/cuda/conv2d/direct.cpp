// A convolution by its definition, a thread for each element of the result.
#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/conv2d/direct_arguments.hpp"
#include "kernels/cuda/fatbins.hpp"

namespace kernsweep::cuda {
namespace {

constexpr unsigned kBlockThreads = 256;

class Conv2dDirect : public Conv2dArrays {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    conv2d::Problem problem;
    return read_for_our_kernels(params, problem, why);
  }

  Conv2dDirect(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : Conv2dArrays(params, context, inputs, [](const auto&) { return WeightOrder::as_given; }),
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

const ks_variant kConv2dDirect =
    device_variant<Conv2dDirect>("cuda_direct", "a GPU: a thread for each element of the result");

}  // namespace kernsweep::cuda
