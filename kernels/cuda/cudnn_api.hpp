// NVIDIA's cuDNN as this process opened it: the functions that the adapter uses.
//
// Internal to the files cudnn_*.cpp, the only ones that include cudnn.h. No program is linked with cuDNN:
// it is opened by name, so the pack can be loaded without it, and a sweep may name several. The functions
// are those from before cuDNN's graphs: deprecated, but present in every cuDNN 9, and they let a sweep
// choose the algorithm.
#pragma once

#include <cudnn.h>

#include <string>

namespace kernsweep::cuda {

#define KERNSWEEP_CUDNN_FUNCTIONS(X)         \
  X(cudnnGetVersion)                         \
  X(cudnnGetErrorString)                     \
  X(cudnnGetLastErrorString)                 \
  X(cudnnCreate)                             \
  X(cudnnDestroy)                            \
  X(cudnnSetStream)                          \
  X(cudnnCreateTensorDescriptor)             \
  X(cudnnSetTensor4dDescriptor)              \
  X(cudnnDestroyTensorDescriptor)            \
  X(cudnnCreateFilterDescriptor)             \
  X(cudnnSetFilter4dDescriptor)              \
  X(cudnnDestroyFilterDescriptor)            \
  X(cudnnCreateConvolutionDescriptor)        \
  X(cudnnSetConvolution2dDescriptor)         \
  X(cudnnSetConvolutionGroupCount)           \
  X(cudnnSetConvolutionMathType)             \
  X(cudnnDestroyConvolutionDescriptor)       \
  X(cudnnGetConvolution2dForwardOutputDim)   \
  X(cudnnGetConvolutionForwardAlgorithm_v7)  \
  X(cudnnGetConvolutionForwardWorkspaceSize) \
  X(cudnnConvolutionForward)

struct CudnnApi {
#define KERNSWEEP_CUDNN_MEMBER(function) decltype(&::function) function = nullptr;
  KERNSWEEP_CUDNN_FUNCTIONS(KERNSWEEP_CUDNN_MEMBER)
#undef KERNSWEEP_CUDNN_MEMBER

  // Throws Failure unless `status` is success. `doing` completes "... while". KS_UNSUPPORTED: cuDNN does
  // not support this, or not on this GPU; KS_OUT_OF_MEMORY; KS_FAILED: all other errors.
  void check(cudnnStatus_t status, const std::string& doing) const;
  // "9.19.0".
  std::string version() const;
};

// The library of that file name, opened at the first call and kept until the process ends. Throws Failure
// (KS_UNSUPPORTED) if there is none, or it has another major version; the next call tries again.
const CudnnApi& cudnn_api(const std::string& library);

}  // namespace kernsweep::cuda
