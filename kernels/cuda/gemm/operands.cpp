#include "kernels/cuda/gemm/operands.hpp"

#include <fmt/format.h>

namespace kernsweep::cuda {
namespace {

std::size_t bytes_of(std::int64_t elements, Dtype dtype) {
  return static_cast<std::size_t>(elements) * size_of(dtype);
}

MatrixSteps steps_of(const MatrixLayout& layout) {
  return {layout.row_stride, layout.column_stride, layout.batch_stride};
}

}  // namespace

void need_no_epilogue(const GemmProblem& problem, std::string_view variant) {
  if (!problem.epilogue.is_none())
    throw Failure(KS_UNSUPPORTED, fmt::format("{} has no epilogue {}; take the variant cublaslt", variant,
                                              name_of(problem.epilogue)));
}

GemmOperands::GemmOperands(const GemmProblem& given, pack::Setup& setup)
    : problem(given),
      a(bytes_of(problem.batch * problem.op_a().batch_stride, problem.dtype), memory),
      b(bytes_of(problem.batch * problem.op_b().batch_stride, problem.dtype), memory),
      c(bytes_of(problem.batch * problem.m * problem.ldc, problem.out), memory),
      result(problem, setup) {
  copy_to_device(a.address(), setup.tensor(0).data, a.bytes(), stream);
  copy_to_device(b.address(), setup.tensor(1).data, b.bytes(), stream);
  fill_bytes(c.address(), 0, c.bytes(), stream);
  stream.synchronize();
}

ks_tensor GemmOperands::output() const {
  copy_to_host(result.data(), c.address(), c.bytes(), stream);
  stream.synchronize();
  return result.view(problem);
}

void GemmOperands::multiply_by(Kernel<GemmArguments> kernel, const Grid& grid, const GemmArguments& given) {
  if (needs_no_product()) {
    fill_bytes(c.address(), 0, c.bytes(), stream);
  } else {
    launch(kernel, grid, stream, given);
  }
}

GemmArguments GemmOperands::arguments() const {
  return {.a = a.address(),
          .b = b.address(),
          .c = c.address(),
          .batch = problem.batch,
          .m = problem.m,
          .n = problem.n,
          .k = problem.k,
          .at_a = steps_of(problem.op_a()),
          .at_b = steps_of(problem.op_b()),
          .at_c = {problem.ldc, 1, problem.m * problem.ldc},
          .out = problem.out,
          .tile_k_log2 = 0};
}

}  // namespace kernsweep::cuda
