// Handles and descriptors, and what fits together.
#include <fmt/format.h>

#include <cstdio>

#include "tests/kernels/cuda/fake_cudnn/fake_cudnn_state.hpp"
#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cudnn {

using fake_cuda::misuse;

namespace {

template <class Things>
auto& known(Things& things, const void* handle, const char* what) {
  const auto found = things.find(handle);
  if (found == things.end()) misuse(fmt::format("cuDNN: a {} that was never made, or is destroyed", what));
  return found->second;
}

template <class Handle, class Things>
cudnnStatus_t make(const char* function, Handle* handle, Things& things) {
  if (const cudnnStatus_t answer = standing(function); answer != CUDNN_STATUS_SUCCESS) return answer;
  *handle = reinterpret_cast<Handle>(state().next += 16);
  things.emplace(*handle, typename Things::mapped_type{});
  return CUDNN_STATUS_SUCCESS;
}

template <class Things>
cudnnStatus_t destroy(Things& things, const void* handle, const char* what) {
  known(things, handle, what);
  for (const auto& [stream, queue] : fake_cuda::state().streams)
    if (queue.done < queue.work.size() && fake_cuda::state().lost == CUDA_SUCCESS)
      misuse(fmt::format("cuDNN: a {} destroyed while work waits in a stream", what));
  things.erase(handle);
  return CUDNN_STATUS_SUCCESS;
}

int extent_of_result(int image, int kernel, const Window& window) {
  return (image + 2 * window.padding - window.dilation * (kernel - 1) - 1) / window.stride + 1;
}

}  // namespace

State& state() {
  static State state;
  return state;
}

void start(const Simulation& simulation) {
  state() = {};
  state().simulation = simulation;
}

Done done() {
  return state().counts;
}

std::string left_over() {
  std::string text;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) text += fmt::format("{} {} ", count, what);
  };
  add(state().handles.size(), "handles");
  add(state().tensors.size(), "tensor descriptors");
  add(state().filters.size(), "filter descriptors");
  add(state().windows.size(), "convolution descriptors");
  return text;
}

cudnnStatus_t standing(const char* function) {
  return state().simulation.fails == function ? static_cast<cudnnStatus_t>(state().simulation.status)
                                              : CUDNN_STATUS_SUCCESS;
}

Described described(const void* x, const void* w, const void* window, const void* y) {
  const Described all = {known(state().tensors, x, "tensor"), known(state().filters, w, "filter"),
                         known(state().tensors, y, "tensor"),
                         known(state().windows, window, "convolution descriptor")};
  if (!all.x.is_set || !all.w.is_set || !all.y.is_set || !all.window.is_set)
    misuse("cuDNN: a descriptor that nobody has filled");
  const int groups = all.window.groups;
  if (all.x.c != all.w.c * groups || all.w.n % groups != 0 || all.y.c != all.w.n || all.y.n != all.x.n ||
      all.y.h != extent_of_result(all.x.h, all.w.h, all.window) ||
      all.y.w != extent_of_result(all.x.w, all.w.w, all.window))
    misuse("cuDNN: descriptors that do not fit each other");
  if (all.x.type != all.w.type || all.x.type != all.y.type) misuse("cuDNN: types that differ");
  if (all.x.channels_last != all.w.channels_last || all.x.channels_last != all.y.channels_last)
    misuse("cuDNN: layouts that differ");
  return all;
}

}  // namespace kernsweep::testing::fake_cudnn

using namespace kernsweep::testing::fake_cudnn;
using kernsweep::testing::fake_cuda::misuse;

std::size_t cudnnGetVersion() {
  return state().simulation.version;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (status) {
    case CUDNN_STATUS_NOT_INITIALIZED:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_NOT_SUPPORTED_LAYOUT:
      return "CUDNN_STATUS_NOT_SUPPORTED_LAYOUT";
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
      return "CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_STATUS_OF_NO_TEST";
  }
}

void cudnnGetLastErrorString(char* message, std::size_t bytes) {
  std::snprintf(message, bytes, "%s", state().simulation.status == 0 ? "" : "as simulated");
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return make("cudnnCreate", handle, state().handles);
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return destroy(state().handles, handle, "handle");
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  known(state().handles, handle, "handle") = stream;
  return standing("cudnnSetStream");
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* made) {
  return make("cudnnCreateTensorDescriptor", made, state().tensors);
}

cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t made) {
  return destroy(state().tensors, made, "tensor");
}

cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t made, cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  if (n < 1 || c < 1 || h < 1 || w < 1) return CUDNN_STATUS_BAD_PARAM;
  known(state().tensors, made, "tensor") = {true, format == CUDNN_TENSOR_NHWC, type, n, c, h, w};
  return standing("cudnnSetTensor4dDescriptor");
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* made) {
  return make("cudnnCreateFilterDescriptor", made, state().filters);
}

cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t made) {
  return destroy(state().filters, made, "filter");
}

cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t made, cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k, int c, int h, int w) {
  if (k < 1 || c < 1 || h < 1 || w < 1) return CUDNN_STATUS_BAD_PARAM;
  known(state().filters, made, "filter") = {true, format == CUDNN_TENSOR_NHWC, type, k, c, h, w};
  return standing("cudnnSetFilter4dDescriptor");
}

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* made) {
  return make("cudnnCreateConvolutionDescriptor", made, state().windows);
}

cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t made) {
  return destroy(state().windows, made, "convolution descriptor");
}

cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t made, int pad_h, int pad_w,
                                              int stride_h, int stride_w, int dilation_h, int dilation_w,
                                              cudnnConvolutionMode_t mode, cudnnDataType_t sums) {
  if (pad_h != pad_w || stride_h != stride_w || dilation_h != dilation_w)
    misuse("cuDNN: a window that differs in its two directions, which the family has not");
  if (mode != CUDNN_CROSS_CORRELATION) misuse("cuDNN: a kernel that is turned");
  if (sums != CUDNN_DATA_FLOAT) misuse("cuDNN: sums that are not in f32");
  known(state().windows, made, "convolution descriptor") = {true,       pad_h, stride_h,
                                                            dilation_h, 1,     CUDNN_DEFAULT_MATH};
  return standing("cudnnSetConvolution2dDescriptor");
}

cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t made, int groups) {
  known(state().windows, made, "convolution descriptor").groups = groups;
  return standing("cudnnSetConvolutionGroupCount");
}

cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t made, cudnnMathType_t math) {
  known(state().windows, made, "convolution descriptor").math = math;
  return standing("cudnnSetConvolutionMathType");
}

cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(cudnnConvolutionDescriptor_t window,
                                                    cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                                                    int* n, int* c, int* height, int* width) {
  const Window& set = known(state().windows, window, "convolution descriptor");
  const Extents& image = known(state().tensors, x, "tensor");
  const Extents& kernel = known(state().filters, w, "filter");
  *n = image.n;
  *c = kernel.n;
  *height = extent_of_result(image.h, kernel.h, set);
  *width = extent_of_result(image.w, kernel.w, set);
  return standing("cudnnGetConvolution2dForwardOutputDim");
}
