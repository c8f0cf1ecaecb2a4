// oneDNN's matmul primitive: f32, and bf16, f16, s8 where the library has them for the processor.
//
// `weights: packed` lets the library choose B's layout and converts B once, before anything is timed, as
// inference engines do with weights. `plain` multiplies B in place. An epilogue is fused into the
// primitive: its bias, and eltwise_relu or eltwise_gelu_tanh as a post-op.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "kernels/cpu/gemm/variants.hpp"
#include "kernels/cpu/libraries/dnnl.hpp"
#include "kernels/cpu/libraries/pack_settings.hpp"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep {
namespace {

DnnlOperand operand(const GemmProblem& problem, Dtype dtype, std::int64_t rows, std::int64_t columns,
                    const MatrixLayout& layout, const void* data) {
  DnnlOperand made;
  made.dtype = ks_dtype_of(dtype);
  made.dims = {rows, columns};
  made.strides = {layout.row_stride, layout.column_stride};
  if (problem.batch != 1) {  // the primitive of rank 2 has more implementations
    made.dims.insert(made.dims.begin(), problem.batch);
    made.strides.insert(made.strides.begin(), layout.batch_stride);
  }
  made.data = data;
  return made;
}

// `setup` may be null if nothing is to be computed.
DnnlOperands operands_of(const GemmProblem& problem, bool packed, const pack::Setup* setup) {
  const auto data = [setup](std::size_t input) {
    return setup == nullptr ? nullptr : setup->tensor(input).data;
  };
  const MatrixLayout at_c = {problem.ldc, 1, problem.m * problem.ldc};
  DnnlOperands made{operand(problem, problem.dtype, problem.m, problem.k, problem.op_a(), data(0)),
                    operand(problem, problem.dtype, problem.k, problem.n, problem.op_b(), data(1)),
                    operand(problem, problem.out, problem.m, problem.n, at_c, nullptr), std::nullopt,
                    problem.epilogue.activation};
  made.weights.chosen = packed;
  if (problem.epilogue.has_bias) {
    made.bias = operand(problem, problem.bias_dtype(), 1, problem.n, {problem.n, 1, problem.n}, data(2));
    if (problem.batch != 1) made.bias->dims.front() = 1;  // the same for all
  }
  return made;
}

class OneDnn {
 public:
  struct Settings {
    bool packed = false;
    static auto params() {
      return std::vector{pack::param<&Settings::packed>(
          {.name = "weights",
           .summary = "plain: B as it lies; packed: converted once, not timed",
           .fallback = "plain",
           .choices = "plain|packed",
           .setting = true})};
    }
  };

  static void can_run(const GemmProblem& problem, const Settings& settings) {
    if (problem.tf32 || problem.dtype == Dtype::f64 || is_8bit_float(problem.dtype))
      throw pack::Refused(KS_UNSUPPORTED, fmt::format("{} multiplies no {} on processors", dnnl_runtime(),
                                                      problem.dtype_name()));
    if (problem.k == 0 && !problem.is_empty() && problem.epilogue.has_bias)
      throw pack::Refused(KS_UNSUPPORTED,
                          "oneDNN adds no bias to a product of depth 0; set k, or take blas");
    if (needs_nothing(problem)) return;
    require([&](ks_why why) {
      return DnnlOperation::can_multiply(operands_of(problem, settings.packed, nullptr), why);
    });
  }

  OneDnn(const GemmProblem& problem, const Settings& settings, pack::Setup& setup) : problem_(problem) {
    can_run(problem, settings);
    if (needs_nothing(problem)) {
      zeros_.emplace(problem, setup);
      return;
    }
    operation_ = made([&](ks_status& status, ks_why why) {
      return DnnlOperation::multiply(operands_of(problem, settings.packed, &setup), setup.context(), status,
                                     why);
    });
  }

  void run() {
    if (operation_ != nullptr && operation_->run() != KS_OK)
      throw pack::Refused(KS_FAILED, "oneDNN could not compute it");
  }

  ks_tensor output() const {
    if (operation_ == nullptr) return zeros_->view(problem_);
    const void* const result = operation_->fetch();
    if (result == nullptr) throw pack::Refused(KS_FAILED, "oneDNN could not convert the result");
    return GemmOutput::view_of(problem_, result);
  }

  std::string runtime() const { return operation_ == nullptr ? dnnl_runtime() : operation_->runtime(); }

 private:
  // True for empty results, and for empty sums: the memory is zero already, and relu and gelu of 0 are 0.
  static bool needs_nothing(const GemmProblem& problem) { return problem.is_empty() || problem.k == 0; }

  GemmProblem problem_;
  std::unique_ptr<DnnlOperation> operation_;  // null: nothing to compute
  std::optional<GemmOutput> zeros_;
};

}  // namespace

pack::Variant gemm_onednn() {
  return pack::variant<OneDnn>("onednn",
                               "oneDNN's matmul: f32; bf16, f16, s8 where it has them for the processor")
      .of<GemmProblem>();
}

}  // namespace kernsweep
