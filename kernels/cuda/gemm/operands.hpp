// The matrices of a product in device memory.
#pragma once

#include <string_view>

#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/gemm/gemm_kernels.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep::cuda {

// As read_gemm, for a `variant` without epilogues: KS_UNSUPPORTED for a point with one, naming cublaslt.
ks_status read_without_epilogue(const ks_params* params, GemmProblem& problem, std::string_view variant,
                                ks_why why);

// A and B copied to the device; C there, cleared, so that what lies between its rows stays zero; and room
// on the host for it.
class GemmOperands : public DeviceWork {
 public:
  // Requires: read_gemm of the parameters is KS_OK. Throws Failure.
  GemmOperands(const ks_params* params, const ks_context& context, const ks_tensor* inputs);

  // Copies the result to the host and gives a view of it.
  void output(ks_tensor& out);
  TimedStream& queue() { return stream; }

 protected:
  // For our kernels: all but what a variant adds.
  GemmArguments arguments() const;
  // No product has a factor: the result is empty, or sums of nothing, which are zero.
  bool needs_no_product() const { return problem.is_empty() || problem.k == 0; }
  // Starts a run by one of our kernels.
  void multiply_by(Kernel<GemmArguments> kernel, const Grid& grid, const GemmArguments& given);

  GemmProblem problem;
  DeviceMemory a, b, c;
  void* result = nullptr;
  TimedStream stream;  // after what it works on: it ends first
};

}  // namespace kernsweep::cuda
