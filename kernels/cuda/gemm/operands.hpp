// The matrices of a product in device memory.
#pragma once

#include <string_view>

#include "kernels/cuda/gemm/gemm_kernels.hpp"
#include "kernels/cuda/variant.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep::cuda {

// For a `variant` without epilogues. Failure: KS_UNSUPPORTED for points with an epilogue, naming cublaslt.
void need_no_epilogue(const GemmProblem& problem, std::string_view variant);

// A and B copied to the device; C there, zero-filled, also between its rows; memory for it on the host.
class GemmOperands : public DeviceWork {
 public:
  using Problem = GemmProblem;
  GemmOperands(const GemmProblem& given, pack::Setup& setup);  // throws Failure

  // Copies the result to the host.
  ks_tensor output() const;
  TimedStream& queue() { return stream; }

 protected:
  // The arguments for our kernels, without those of only one variant.
  GemmArguments arguments() const;
  // No product is needed: the result is empty, or all its sums are.
  bool needs_no_product() const { return problem.is_empty() || problem.k == 0; }
  // Starts a run by one of our kernels.
  void multiply_by(Kernel<GemmArguments> kernel, const Grid& grid, const GemmArguments& given);

  GemmProblem problem;
  DeviceMemory a, b, c;
  GemmOutput result;
  TimedStream stream;  // declared last, so its destructor waits before the memory is freed
};

}  // namespace kernsweep::cuda
