// Algorithms and the sum itself.
#include <fmt/format.h>

#include <cstring>

#include "shared/base/dtype.hpp"
#include "tests/kernels/cuda/fake_cudnn/fake_cudnn_state.hpp"
#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cudnn {
namespace {

Dtype dtype_of(cudnnDataType_t type) {
  if (type == CUDNN_DATA_BFLOAT16) return Dtype::bf16;
  return type == CUDNN_DATA_HALF ? Dtype::f16 : Dtype::f32;
}

void store(cudnnDataType_t type, void* to, long place, double value) {
  if (type == CUDNN_DATA_FLOAT) {
    static_cast<float*>(to)[place] = static_cast<float>(value);
  } else {
    static_cast<std::uint16_t*>(to)[place] = type == CUDNN_DATA_HALF ? f16_of(value) : bf16_of(value);
  }
}

double sum_at(const Described& all, const void* x, const void* w, int n, int o, int i, int j) {
  const Dtype dtype = dtype_of(all.x.type);
  const int first = o / (all.w.n / all.window.groups) * all.w.c;
  double sum = 0;
  for (int c = 0; c < all.w.c; ++c)
    for (int r = 0; r < all.w.h; ++r)
      for (int s = 0; s < all.w.w; ++s) {
        const int row = i * all.window.stride - all.window.padding + r * all.window.dilation;
        const int column = j * all.window.stride - all.window.padding + s * all.window.dilation;
        if (row < 0 || row >= all.x.h || column < 0 || column >= all.x.w) continue;
        sum += element_as_double(dtype, x, all.x.place(n, first + c, row, column)) *
               element_as_double(dtype, w, all.w.place(o, c, r, s));
      }
  return sum;
}

CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

cudnnStatus_t workspace_of(const Described& all, cudnnConvolutionFwdAlgo_t algorithm, std::size_t& bytes) {
  bytes = algorithm == CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM ? 0 : state().simulation.workspace_bytes;
  const bool plain = all.window.stride == 1 && all.window.dilation == 1;
  switch (algorithm) {
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM:
    case CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM:
      return CUDNN_STATUS_SUCCESS;
    case CUDNN_CONVOLUTION_FWD_ALGO_GEMM:
      return all.x.channels_last ? CUDNN_STATUS_NOT_SUPPORTED_LAYOUT : CUDNN_STATUS_SUCCESS;
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT:
    case CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING:
      if (all.x.channels_last) return CUDNN_STATUS_NOT_SUPPORTED_LAYOUT;
      return plain && all.x.type != CUDNN_DATA_BFLOAT16 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD:
    case CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED:
      if (all.x.channels_last) return CUDNN_STATUS_NOT_SUPPORTED_LAYOUT;
      return plain && all.w.h == 3 && all.w.w == 3 ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_NOT_SUPPORTED;
    default:
      return CUDNN_STATUS_NOT_SUPPORTED;
  }
}

void convolve(const Described& all, const void* x, const void* w, void* y) {
  for (int n = 0; n < all.y.n; ++n)
    for (int o = 0; o < all.y.c; ++o)
      for (int i = 0; i < all.y.h; ++i)
        for (int j = 0; j < all.y.w; ++j)
          store(all.y.type, y, all.y.place(n, o, i, j), sum_at(all, x, w, n, o, i, j));
}

}  // namespace kernsweep::testing::fake_cudnn

using namespace kernsweep::testing::fake_cudnn;
namespace fake_cuda = kernsweep::testing::fake_cuda;

// As cuDNN does: all of them, those that cannot do it last.
cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                     cudnnFilterDescriptor_t w,
                                                     cudnnConvolutionDescriptor_t window,
                                                     cudnnTensorDescriptor_t y, int wanted, int* count,
                                                     cudnnConvolutionFwdAlgoPerf_t* found) {
  const char* const name = "cudnnGetConvolutionForwardAlgorithm_v7";
  if (const cudnnStatus_t answer = standing(name); answer != CUDNN_STATUS_SUCCESS) return answer;
  const Described all = described(x, w, window, y);
  constexpr cudnnConvolutionFwdAlgo_t kByMerit[] = {
      CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM,
      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, CUDNN_CONVOLUTION_FWD_ALGO_DIRECT};
  *count = 0;
  for (const cudnnConvolutionFwdAlgo_t algorithm : kByMerit) {
    if (*count == wanted) break;
    cudnnConvolutionFwdAlgoPerf_t& each = found[*count];
    each = {};
    each.algo = algorithm;
    each.status = workspace_of(all, algorithm, each.memory);
    if (*count < state().simulation.recommended_fail) each.status = CUDNN_STATUS_NOT_SUPPORTED;
    each.mathType = CUDNN_TENSOR_OP_MATH;
    ++*count;
  }
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, cudnnTensorDescriptor_t x,
                                                      cudnnFilterDescriptor_t w,
                                                      cudnnConvolutionDescriptor_t window,
                                                      cudnnTensorDescriptor_t y,
                                                      cudnnConvolutionFwdAlgo_t algorithm,
                                                      std::size_t* bytes) {
  const char* const name = "cudnnGetConvolutionForwardWorkspaceSize";
  if (const cudnnStatus_t answer = standing(name); answer != CUDNN_STATUS_SUCCESS) return answer;
  return workspace_of(described(x, w, window, y), algorithm, *bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void* alpha,
                                      cudnnTensorDescriptor_t x_shape, const void* x,
                                      cudnnFilterDescriptor_t w_shape, const void* w,
                                      cudnnConvolutionDescriptor_t window,
                                      cudnnConvolutionFwdAlgo_t algorithm, void* workspace,
                                      std::size_t workspace_bytes, const void* beta,
                                      cudnnTensorDescriptor_t y_shape, void* y) {
  const cudnnStatus_t answer = standing("cudnnConvolutionForward");
  const auto found = state().handles.find(handle);
  if (found == state().handles.end() || found->second == nullptr)
    fake_cuda::misuse("cuDNN: no handle, or one without a stream of its own");
  if (answer != CUDNN_STATUS_SUCCESS) {
    if (state().simulation.breaks_context)
      fake_cuda::submit(found->second, [] { fake_cuda::state().lost = CUDA_ERROR_ILLEGAL_ADDRESS; });
    return answer;
  }
  const Described all = described(x_shape, w_shape, window, y_shape);
  if (*static_cast<const float*>(alpha) != 1 || *static_cast<const float*>(beta) != 0)
    fake_cuda::misuse("cuDNN: results that are scaled or added");
  std::size_t needed = 0;
  if (workspace_of(all, algorithm, needed) != CUDNN_STATUS_SUCCESS || workspace_bytes < needed)
    fake_cuda::misuse("cuDNN: an algorithm that was not asked for, or a workspace too small for it");
  const auto require = [](const void* pointer, long bytes) {
    fake_cuda::require_device_range(address_of(pointer), static_cast<std::size_t>(bytes),
                                    "cudnnConvolutionForward");
  };
  require(x, all.x.bytes());
  require(w, all.w.bytes());
  require(y, all.y.bytes());
  if (needed > 0) require(workspace, static_cast<long>(needed));
  ++state().counts.convolutions;
  state().counts.algorithm = algorithm;
  state().counts.math = all.window.math;
  state().counts.channels_last = all.x.channels_last;
  const CUresult submitted = fake_cuda::submit(found->second, [=] {
    if (needed > 0) std::memset(workspace, 0xEE, needed);
    convolve(all, x, w, y);
  });
  return submitted == CUDA_SUCCESS ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED;
}
