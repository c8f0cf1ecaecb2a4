#include "kernels/cpu/gemm/onednn.hpp"

#include <fmt/format.h>

#include <memory>
#include <string_view>

#include "kernels/cpu/libraries/dnnl.hpp"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/libraries/variant.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep {
namespace {

const ks_param_doc kParams[] = {
    {"weights", KS_TEXT, "plain", "plain|packed", "plain: B as it lies; packed: converted once, not timed"},
};

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

DnnlActivation activation_of(const Epilogue& epilogue) {
  switch (epilogue.activation) {
    case Activation::relu:
      return DnnlActivation::relu;
    case Activation::gelu:
      return DnnlActivation::gelu_tanh;
    case Activation::none:
      break;
  }
  return DnnlActivation::none;
}

// `inputs` may be null if nothing is to be computed.
DnnlOperands operands_of(const GemmProblem& problem, bool packed, const ks_tensor* inputs) {
  const auto data = [inputs](std::size_t input) {
    return inputs == nullptr ? nullptr : inputs[input].data;
  };
  const MatrixLayout at_c = {problem.ldc, 1, problem.m * problem.ldc};
  DnnlOperands made{operand(problem, problem.dtype, problem.m, problem.k, problem.op_a(), data(0)),
                    operand(problem, problem.dtype, problem.k, problem.n, problem.op_b(), data(1)),
                    operand(problem, problem.out, problem.m, problem.n, at_c, nullptr), std::nullopt,
                    activation_of(problem.epilogue)};
  made.weights.chosen = packed;
  if (problem.epilogue.has_bias) {
    made.bias = operand(problem, problem.bias_dtype(), 1, problem.n, {problem.n, 1, problem.n}, data(2));
    if (problem.batch != 1) made.bias->dims.front() = 1;  // the same for all
  }
  return made;
}

class OneDnn {
 public:
  static ks_status can_run(const ks_params* params, ks_why why) {
    GemmProblem problem;
    if (const ks_status status = read(params, problem, why); status != KS_OK) return status;
    if (needs_nothing(problem)) return KS_OK;
    return DnnlOperation::can_multiply(operands_of(problem, is_packed(params), nullptr), why);
  }

  static ks_status prepare(const ks_params* params, const ks_context& context, const ks_tensor* inputs,
                           std::unique_ptr<OneDnn>& made, ks_why why) {
    auto kernel = std::make_unique<OneDnn>();
    if (const ks_status status = read(params, kernel->problem_, why); status != KS_OK) return status;
    if (needs_nothing(kernel->problem_)) {
      kernel->runtime_ = dnnl_runtime();
      const ks_status status = kernel->zeros_.allocate(kernel->problem_, context, why);
      if (status == KS_OK) made = std::move(kernel);
      return status;
    }
    ks_status status = KS_OK;
    kernel->operation_ = DnnlOperation::multiply(operands_of(kernel->problem_, is_packed(params), inputs),
                                                 context, status, why);
    if (status != KS_OK) return status;
    kernel->runtime_ = kernel->operation_->runtime();
    made = std::move(kernel);
    return KS_OK;
  }

  ks_status run() { return operation_ == nullptr ? KS_OK : operation_->run(); }

  ks_status output(ks_tensor& out) {
    GemmOutput::view_of(problem_, operation_ == nullptr ? zeros_.data() : operation_->fetch(), out);
    return out.data == nullptr && !problem_.is_empty() ? KS_FAILED : KS_OK;
  }

  const char* runtime() const { return runtime_.c_str(); }

 private:
  static bool is_packed(const ks_params* params) {
    return std::string_view(Params(params).text("weights", "plain")) == "packed";
  }

  // True for empty results, and for empty sums: the memory is zero already, and relu and gelu of 0 are 0.
  static bool needs_nothing(const GemmProblem& problem) { return problem.is_empty() || problem.k == 0; }

  static ks_status read(const ks_params* params, GemmProblem& problem, ks_why why) {
    if (const ks_status status = read_gemm(params, problem, why); status != KS_OK) return status;
    if (const ks_status status = Params(params).check(kParams, std::size(kParams), why); status != KS_OK)
      return status;
    if (problem.tf32 || problem.dtype == Dtype::f64 || is_8bit_float(problem.dtype))
      return refuse(KS_UNSUPPORTED, why,
                    fmt::format("{} multiplies no {} on processors", dnnl_runtime(), problem.dtype_name()));
    if (problem.k > 0 || problem.is_empty() || !problem.epilogue.has_bias) return KS_OK;
    return refuse(KS_UNSUPPORTED, why, "oneDNN adds no bias to a product of depth 0; set k, or take blas");
  }

  GemmProblem problem_;
  std::unique_ptr<DnnlOperation> operation_;
  GemmOutput zeros_;
  std::string runtime_;
};

}  // namespace

const ks_variant kGemmOneDnn = make_variant<OneDnn>(
    "onednn", "oneDNN's matmul: f32; bf16, f16, s8 where it has them for the processor", kParams,
    std::size(kParams));

}  // namespace kernsweep
