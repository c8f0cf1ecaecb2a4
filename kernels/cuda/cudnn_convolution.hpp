// A forward convolution by cuDNN: its descriptors, its algorithm, its workspace.
//
// Images and results are described in the order of the point's layout. Weights: o i h w for nchw; o h w i
// (KRSC in cuDNN's terms) for nhwc, as cuDNN requires. Sums are kept in f32 for every dtype. Only tf32
// allows f32 to be rounded: f32 itself uses fused multiply-adds only.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "kernels/cuda/cuda_memory.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::cuda {

inline constexpr const char* kCudnnLibrary = "libcudnn.so.9";

// Opens the library. Throws Failure (KS_UNSUPPORTED) with what to install.
void find_cudnn(const std::string& library);

class CudnnConvolution {
 public:
  // `algorithm`: "heuristic", the first of cuDNN's recommendations that works, or an algorithm's name.
  // KS_UNSUPPORTED with cuDNN's status if it is not supported. Work goes to `stream`, the workspace is
  // counted in `count`; both must outlive this object. Requires problem.batch > 0 and a dtype other than
  // s8.
  CudnnConvolution(const std::string& library, const conv2d::Problem& problem, std::string_view algorithm,
                   const Stream& stream, MemoryCount& count);
  ~CudnnConvolution();  // waits for the stream, whose work may use the workspace

  // Adds the work to the stream. All arrays are in device memory, as described above.
  void run(const void* images, const void* weights, void* results) const;

  // "cuDNN 9.19.0 algorithm=implicit_gemm math=fma workspace_bytes=0".
  const std::string& runtime() const;

 private:
  class Body;
  std::unique_ptr<Body> body_;
};

}  // namespace kernsweep::cuda
