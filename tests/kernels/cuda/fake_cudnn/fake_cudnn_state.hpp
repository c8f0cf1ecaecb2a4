// The state of the fake cuDNN. Internal to it.
#pragma once

#include <cudnn.h>

#include <map>

#include "tests/kernels/cuda/fake_cudnn/fake_cudnn.hpp"

namespace kernsweep::testing::fake_cudnn {

// A tensor n c h w, or a filter k c r s.
struct Extents {
  bool is_set = false;
  bool channels_last = false;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int n = 0, c = 0, h = 0, w = 0;

  long elements() const { return static_cast<long>(n) * c * h * w; }
  long bytes() const { return elements() * (type == CUDNN_DATA_FLOAT ? 4 : 2); }
  long place(long in, long ic, long ih, long iw) const {
    return channels_last ? ((in * h + ih) * w + iw) * c + ic : ((in * c + ic) * h + ih) * w + iw;
  }
};

struct Window {
  bool is_set = false;
  int padding = 0, stride = 0, dilation = 0, groups = 1;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
};

struct State {
  Simulation simulation;
  Done counts;
  unsigned long next = 0x100;
  std::map<const void*, cudaStream_t> handles;
  std::map<const void*, Extents> tensors, filters;
  std::map<const void*, Window> windows;
};
State& state();

// The status that a function must return before it checks its arguments.
cudnnStatus_t standing(const char* function);

// A convolution as described by its descriptors, which must be consistent.
struct Described {
  Extents x, w, y;
  Window window;
};
Described described(const void* x, const void* w, const void* window, const void* y);

// Whether there is such an algorithm for it, and what its workspace takes.
cudnnStatus_t workspace_of(const Described& all, cudnnConvolutionFwdAlgo_t algorithm, std::size_t& bytes);

// The convolution by its definition, sums in f64. Device memory that may be touched.
void convolve(const Described& all, const void* x, const void* w, void* y);

}  // namespace kernsweep::testing::fake_cudnn
