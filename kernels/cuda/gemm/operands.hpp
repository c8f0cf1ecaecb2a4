// The matrices of a product in device memory.
#pragma once

#include <string_view>

#include "kernels/cuda/entries.hpp"
#include "kernels/cuda/gemm/gemm_kernels.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep::cuda {

// As read_gemm, for a `variant` without epilogues: KS_UNSUPPORTED for points with one, naming cublaslt.
ks_status read_without_epilogue(const ks_params* params, GemmProblem& problem, std::string_view variant,
                                ks_why why);

// A and B copied to the device; C there, cleared, with zeros between its rows; memory for it on the host.
class GemmOperands : public DeviceWork {
 public:
  // Requires: read_gemm of the parameters is KS_OK. Throws Failure.
  GemmOperands(const ks_params* params, const ks_context& context, const ks_tensor* inputs);

  // Copies the result to the host and sets a view of it.
  void output(ks_tensor& out);
  TimedStream& queue() { return stream; }

 protected:
  // The arguments for our kernels, without those of a single variant.
  GemmArguments arguments() const;
  // No product is needed: the result is empty, or all its sums are.
  bool needs_no_product() const { return problem.is_empty() || problem.k == 0; }
  // Starts a run by one of our kernels.
  void multiply_by(Kernel<GemmArguments> kernel, const Grid& grid, const GemmArguments& given);

  GemmProblem problem;
  DeviceMemory a, b, c;
  void* result = nullptr;
  TimedStream stream;  // declared last, so its destructor waits before the memory is freed
};

}  // namespace kernsweep::cuda
