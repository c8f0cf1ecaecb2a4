// A convolution by NVIDIA's library.
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/conv2d/conv2d.hpp"
#include "kernels/cuda/conv2d/conv2d_arrays.hpp"
#include "kernels/cuda/cudnn_convolution.hpp"

namespace kernsweep::cuda {
namespace {

class Conv2dCudnn : public Conv2dArrays {
 public:
  struct Settings {
    std::string algorithm = "heuristic", library = kCudnnLibrary;
    static auto params() {
      return std::vector{
          pack::param<&Settings::algorithm>(
              {.name = "algorithm",
               .summary = "of cuDNN; heuristic: the one that it recommends first",
               .fallback = "heuristic",
               .choices = "heuristic|implicit_gemm|implicit_precomp_gemm|gemm|winograd|winograd_nonfused|"
                          "fft|fft_tiling",
               .setting = true}),
          pack::param<&Settings::library>({.name = "cudnn.library",
                                           .summary = "file name of the library, of cuDNN 9",
                                           .fallback = kCudnnLibrary,
                                           .setting = true})};
    }
  };

  static void can_run(const conv2d::Problem& problem) {
    need_no_epilogue(problem);
    if (problem.dtype == Dtype::s8)
      throw Failure(
          KS_UNSUPPORTED,
          "cuDNN's convolutions of s8 have results in s8 or f32, not s32; take another dtype, or the "
          "variant cuda_direct");
  }

  static void find(const Settings& settings) { find_cudnn(settings.library); }

  Conv2dCudnn(const conv2d::Problem& given, const Settings& settings, pack::Setup& setup)
      : Conv2dArrays(given, WeightOrder::like_images, setup) {
    if (problem.batch > 0)
      convolution_ =
          std::make_unique<CudnnConvolution>(settings.library, problem, settings.algorithm, stream, memory);
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

pack::Variant conv2d_cudnn() {
  return device_variant<Conv2dCudnn>("cudnn", "a GPU: NVIDIA's cuDNN; a sweep may choose its algorithm");
}

}  // namespace kernsweep::cuda
