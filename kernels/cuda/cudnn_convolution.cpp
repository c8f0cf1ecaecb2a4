#include "kernels/cuda/cudnn_convolution.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cudnn_api.hpp"

namespace kernsweep::cuda {
namespace {

constexpr std::pair<std::string_view, cudnnConvolutionFwdAlgo_t> kAlgorithms[] = {
    {"implicit_gemm", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM},
    {"implicit_precomp_gemm", CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM},
    {"gemm", CUDNN_CONVOLUTION_FWD_ALGO_GEMM},
    {"direct", CUDNN_CONVOLUTION_FWD_ALGO_DIRECT},
    {"fft", CUDNN_CONVOLUTION_FWD_ALGO_FFT},
    {"fft_tiling", CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING},
    {"winograd", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD},
    {"winograd_nonfused", CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED},
};

std::string_view name_of_algorithm(cudnnConvolutionFwdAlgo_t algorithm) {
  for (const auto& [name, number] : kAlgorithms)
    if (number == algorithm) return name;
  return "unknown";
}

cudnnConvolutionFwdAlgo_t algorithm_named(std::string_view wanted) {
  for (const auto& [name, number] : kAlgorithms)
    if (name == wanted) return number;
  throw Failure(KS_BAD_PARAMETER, fmt::format("cuDNN has no algorithm {}", wanted));
}

const char* name_of_math(cudnnMathType_t math) {
  switch (math) {
    case CUDNN_DEFAULT_MATH:
      return "default";
    case CUDNN_TENSOR_OP_MATH:
      return "tensor_op";
    case CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION:
      return "tensor_op_allow_conversion";
    case CUDNN_FMA_MATH:
      return "fma";
  }
  return "unknown";
}

// By default, cuDNN may round f32 to tf32 from compute capability 8.0 on.
cudnnMathType_t math_of(const conv2d::Problem& problem) {
  if (problem.tf32) return CUDNN_DEFAULT_MATH;
  return problem.dtype == Dtype::f32 ? CUDNN_FMA_MATH : CUDNN_TENSOR_OP_MATH;
}

cudnnDataType_t type_of(Dtype dtype) {
  if (dtype == Dtype::bf16) return CUDNN_DATA_BFLOAT16;
  return dtype == Dtype::f16 ? CUDNN_DATA_HALF : CUDNN_DATA_FLOAT;
}

// All extents were checked to be below 2^31.
int narrow(std::int64_t extent) {
  return static_cast<int>(extent);
}

// Owns an object of cuDNN.
template <class Handle>
class OwnedObject {
 public:
  using Create = cudnnStatus_t (*)(Handle*);
  using Destroy = cudnnStatus_t (*)(Handle);
  OwnedObject(const CudnnApi& api, Create create, Destroy destroy, const char* doing) : destroy_(destroy) {
    api.check(create(&handle_), doing);
  }
  OwnedObject(const OwnedObject&) = delete;
  OwnedObject& operator=(const OwnedObject&) = delete;
  ~OwnedObject() { destroy_(handle_); }
  Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  Destroy destroy_;
};

}  // namespace

class CudnnConvolution::Body {
 public:
  Body(const CudnnApi& api, const conv2d::Problem& problem, const Stream& stream)
      : api_(api),
        handle_(api, api.cudnnCreate, api.cudnnDestroy, "starting cuDNN"),
        images_(api, api.cudnnCreateTensorDescriptor, api.cudnnDestroyTensorDescriptor, kDescribing),
        weights_(api, api.cudnnCreateFilterDescriptor, api.cudnnDestroyFilterDescriptor, kDescribing),
        results_(api, api.cudnnCreateTensorDescriptor, api.cudnnDestroyTensorDescriptor, kDescribing),
        window_(api, api.cudnnCreateConvolutionDescriptor, api.cudnnDestroyConvolutionDescriptor,
                kDescribing),
        last_wait_(stream) {
    api.check(api.cudnnSetStream(handle_.get(), stream.get()), "giving cuDNN a stream");
    describe(problem);
  }

  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  // Chooses the first algorithm of cuDNN's recommendations that works. Each recommendation also has a math
  // type, which is used, too, except for f32, whose products must not be rounded.
  void choose_recommended(const conv2d::Problem& problem) {
    std::array<cudnnConvolutionFwdAlgoPerf_t, CUDNN_CONVOLUTION_FWD_ALGO_COUNT> found{};
    int count = 0;
    api_.check(api_.cudnnGetConvolutionForwardAlgorithm_v7(
                   handle_.get(), images_.get(), weights_.get(), window_.get(), results_.get(),
                   static_cast<int>(found.size()), &count, found.data()),
               "asking cuDNN for an algorithm");
    cudnnStatus_t last = CUDNN_STATUS_NOT_SUPPORTED;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      last = found[i].status;
      if (last != CUDNN_STATUS_SUCCESS) continue;
      if (problem.tf32 || problem.dtype != Dtype::f32) set_math(found[i].mathType);
      last = choose(found[i].algo);
      if (last == CUDNN_STATUS_SUCCESS) return;
    }
    api_.check(last, "asking cuDNN for an algorithm that does this convolution");
  }

  void choose_named(std::string_view name) {
    api_.check(choose(algorithm_named(name)), fmt::format("asking cuDNN for the algorithm {}", name));
  }

  void make_workspace(MemoryCount& count) {
    workspace_ = DeviceMemory(workspace_bytes_, count);
    runtime_ = fmt::format("cuDNN {} algorithm={} math={} workspace_bytes={}", api_.version(),
                           name_of_algorithm(algorithm_), name_of_math(math_), workspace_bytes_);
  }

  void run(const void* images, const void* weights, void* results) const {
    const float one = 1, none = 0;
    api_.check(api_.cudnnConvolutionForward(handle_.get(), &one, images_.get(), images, weights_.get(),
                                            weights, window_.get(), algorithm_, workspace_.address(),
                                            workspace_.bytes(), &none, results_.get(), results),
               "convolving");
  }

  const std::string& runtime() const { return runtime_; }

 private:
  static constexpr const char* kDescribing = "describing a convolution to cuDNN";

  void describe(const conv2d::Problem& p) {
    const cudnnTensorFormat_t format = p.channels_last ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    const cudnnDataType_t type = type_of(p.dtype);
    const auto check = [this](cudnnStatus_t status) { api_.check(status, kDescribing); };
    check(api_.cudnnSetTensor4dDescriptor(images_.get(), format, type, narrow(p.batch), narrow(p.c_in),
                                          narrow(p.h), narrow(p.w)));
    check(api_.cudnnSetFilter4dDescriptor(weights_.get(), type, format, narrow(p.c_out),
                                          narrow(p.group_in()), narrow(p.kh), narrow(p.kw)));
    check(api_.cudnnSetTensor4dDescriptor(results_.get(), format, type, narrow(p.batch), narrow(p.c_out),
                                          narrow(p.h_out), narrow(p.w_out)));
    check(api_.cudnnSetConvolution2dDescriptor(
        window_.get(), narrow(p.padding), narrow(p.padding), narrow(p.stride), narrow(p.stride),
        narrow(p.dilation), narrow(p.dilation), CUDNN_CROSS_CORRELATION, CUDNN_DATA_FLOAT));
    check(api_.cudnnSetConvolutionGroupCount(window_.get(), narrow(p.groups)));
    set_math(math_of(p));
    int n = 0, c = 0, h = 0, w = 0;
    check(api_.cudnnGetConvolution2dForwardOutputDim(window_.get(), images_.get(), weights_.get(), &n, &c,
                                                     &h, &w));
    if (n == p.batch && c == p.c_out && h == p.h_out && w == p.w_out) return;
    throw Failure(KS_FAILED,
                  fmt::format("cuDNN counts {} x {} x {} x {} results, the family {} x {} x {} x {}: "
                              "report this",
                              n, c, h, w, p.batch, p.c_out, p.h_out, p.w_out));
  }

  void set_math(cudnnMathType_t math) {
    math_ = math;
    api_.check(api_.cudnnSetConvolutionMathType(window_.get(), math), kDescribing);
  }

  // Whether cuDNN supports the algorithm; sets the size of the workspace, without allocating it.
  cudnnStatus_t choose(cudnnConvolutionFwdAlgo_t algorithm) {
    algorithm_ = algorithm;
    return api_.cudnnGetConvolutionForwardWorkspaceSize(handle_.get(), images_.get(), weights_.get(),
                                                        window_.get(), results_.get(), algorithm,
                                                        &workspace_bytes_);
  }

  const CudnnApi& api_;
  OwnedObject<cudnnHandle_t> handle_;
  OwnedObject<cudnnTensorDescriptor_t> images_;
  OwnedObject<cudnnFilterDescriptor_t> weights_;
  OwnedObject<cudnnTensorDescriptor_t> results_;
  OwnedObject<cudnnConvolutionDescriptor_t> window_;
  cudnnConvolutionFwdAlgo_t algorithm_ = CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM;
  cudnnMathType_t math_ = CUDNN_DEFAULT_MATH;
  std::size_t workspace_bytes_ = 0;
  DeviceMemory workspace_;
  std::string runtime_;
  LastWait last_wait_;
};

void find_cudnn(const std::string& library) {
  cudnn_api(library);
}

CudnnConvolution::CudnnConvolution(const std::string& library, const conv2d::Problem& problem,
                                   std::string_view algorithm, const Stream& stream, MemoryCount& count)
    : body_(std::make_unique<Body>(cudnn_api(library), problem, stream)) {
  if (algorithm == "heuristic") {
    body_->choose_recommended(problem);
  } else {
    body_->choose_named(algorithm);
  }
  body_->make_workspace(count);
}

CudnnConvolution::~CudnnConvolution() = default;

void CudnnConvolution::run(const void* images, const void* weights, void* results) const {
  body_->run(images, weights, results);
}

const std::string& CudnnConvolution::runtime() const {
  return body_->runtime();
}

}  // namespace kernsweep::cuda
