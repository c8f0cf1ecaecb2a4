// A convolution by NVIDIA's library.
#include <array>
#include <memory>
#include <string>

#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/conv2d/conv2d_arrays.hpp"
#include "kernels/cuda/cudnn_convolution.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kParams = {
    ks_param_doc{
        "algorithm", KS_TEXT, "heuristic",
        "heuristic|implicit_gemm|implicit_precomp_gemm|gemm|winograd|winograd_nonfused|fft|fft_tiling",
        "of cuDNN; heuristic: the one that it recommends first"},
    ks_param_doc{"cudnn.library", KS_TEXT, kCudnnLibrary, nullptr, "file name of the library, of cuDNN 9"},
};

class Conv2dCudnn : public Conv2dArrays {
 public:
  static ks_status check(const ks_params* params, ks_why why) {
    conv2d::Problem problem;
    if (const ks_status status = read_without_epilogue(params, problem, why); status != KS_OK)
      return status;
    if (const ks_status status = Params(params).check(kParams.data(), kParams.size(), why); status != KS_OK)
      return status;
    if (problem.dtype != Dtype::s8) return KS_OK;
    return refuse(
        KS_UNSUPPORTED, why,
        "cuDNN's convolutions of s8 have results in s8 or f32, not s32; take another dtype, or the "
        "variant cuda_direct");
  }

  static void find(const ks_params* params) { find_cudnn(library_of(params)); }
  static void find() { find_cudnn(kCudnnLibrary); }

  static std::string library_of(const ks_params* params) {
    return Params(params).text("cudnn.library", kCudnnLibrary);
  }

  Conv2dCudnn(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : Conv2dArrays(params, context, inputs, [](const conv2d::Problem& point) {
          return point.channels_last ? WeightOrder::channels_last : WeightOrder::as_given;
        }) {
    if (problem.batch == 0) return;
    convolution_ = std::make_unique<CudnnConvolution>(
        library_of(params), problem, Params(params).text("algorithm", "heuristic"), stream, memory);
  }

  void start() {
    if (convolution_ != nullptr) convolution_->run(images.address(), weights.address(), results.address());
  }

  std::string description() const {
    return convolution_ == nullptr ? "cuDNN, not asked for an empty batch" : convolution_->runtime();
  }

 private:
  std::unique_ptr<CudnnConvolution> convolution_;  // null for an empty batch
};

}  // namespace

const ks_variant kConv2dCudnn = device_variant<Conv2dCudnn>(
    "cudnn", "a GPU: NVIDIA's cuDNN; a sweep may choose its algorithm", kParams.data(), kParams.size());

}  // namespace kernsweep::cuda
