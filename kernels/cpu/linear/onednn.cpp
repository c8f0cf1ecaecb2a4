// s8: our loops quantise, then oneDNN's matmul has a scale for each column of y, the zero of x, the bias
// and the activation in one primitive. A scale that is computed from each x, and the zero, are read in each
// run; the others are fixed.
#include <utility>

#include "kernels/cpu/gemm/variants.hpp"
#include "kernels/cpu/linear/variants.hpp"

namespace kernsweep::linear {
namespace {

ProductPoint point_of(const Problem& problem, const OneDnn::Settings& settings) {
  const bool packed = settings.weights == OneDnn::Layout::packed;
  return {problem, settings.epilogue_by == EpilogueBy::fused, {{"weights", packed ? "packed" : "plain"}}};
}

DnnlOperands operands_of(const Problem& p, const OneDnn::Settings& settings) {
  DnnlOperands out{.source = {p.activations, {p.m, p.k}, {p.k, 1}},
                   .weights = {KS_S8, {p.k, p.n}, {1, p.k}},
                   .result = {KS_F32, {p.m, p.n}, {p.n, 1}}};
  out.weights.chosen = settings.weights == OneDnn::Layout::packed;
  out.column_scales.assign(static_cast<std::size_t>(p.n), 1);
  if (!p.is_static()) out.scale = {KS_F32, {1, 1}, {1, 1}};
  if (p.activations == KS_U8) out.zero = {KS_S32, {1}, {1}};
  if (settings.epilogue_by == EpilogueBy::pass) return out;
  if (p.epilogue().has_bias) out.bias = {KS_F32, {1, p.n}, {p.n, 1}};
  out.activation = p.epilogue().activation;
  return out;
}

}  // namespace

void OneDnn::can_run(const Problem& problem, const Settings& settings) {
  if (problem.is_empty()) return;
  if (problem.k == 0 && (problem.epilogue().has_bias || problem.is_quantised()))
    throw pack::Refused(KS_UNSUPPORTED, "oneDNN multiplies nothing of depth 0; set k");
  if (!problem.is_quantised()) return can_multiply(made_of<gemm_onednn>(), point_of(problem, settings));
  if (!dnnl_is_exact_in_8_bits())
    throw pack::Refused(KS_UNSUPPORTED,
                        dnnl_runtime() +
                            " has no VNNI here: its sums of two products of 8-bit numbers may "
                            "not fit 16 bits; own is exact on every processor");
  require([&](ks_why why) { return DnnlOperation::can_multiply(operands_of(problem, settings), why); });
}

OneDnn::OneDnn(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      fused_(settings.epilogue_by == EpilogueBy::fused),
      loops_(*find_loops("best")),
      team_(team_of(setup)) {
  if (!problem.is_quantised()) {
    in_floats_.emplace(problem, made_of<gemm_onednn>(), point_of(problem, settings), fused_, KS_F32, setup);
    return;
  }
  if (problem.epilogue().has_bias) bias_ = setup.input<float>(2);
  if (problem.is_empty()) return;
  x_ = std::make_unique<Activations>(problem, loops_, setup, *team_, problem.k, 0);
  const std::span<std::int8_t> numbers =
      setup.allocate<std::int8_t>(static_cast<std::size_t>(problem.n * problem.k));
  scale_ = setup.allocate<float>(1);
  zero_ = setup.allocate<std::int32_t>(1);
  DnnlOperands operands = operands_of(problem, settings);
  operands.source.data = x_->bytes();
  operands.weights.data = numbers.data();
  operands.column_scales = Weights(problem, loops_, setup.input<float>(1).data(), numbers).scales;
  if (problem.is_static())
    for (float& scale : operands.column_scales) scale *= x_->scale();
  else
    operands.scale->data = scale_.data();
  if (operands.zero) operands.zero->data = zero_.data();
  if (operands.bias) operands.bias->data = bias_.data();
  operation_ = made([&](ks_status& status, ks_why why) {
    return DnnlOperation::multiply(operands, setup.context(), status, why);
  });
}

void OneDnn::run() {
  if (in_floats_) return in_floats_->run();
  if (operation_ == nullptr) return;
  x_->quantise();
  scale_[0] = x_->scale();
  zero_[0] = x_->zero();
  if (operation_->run() != KS_OK) throw pack::Refused(KS_FAILED, "oneDNN could not compute the product");
  if (fused_) return;
  auto* const y = static_cast<float*>(const_cast<void*>(operation_->fetch()));  // memory of this layer
  finish_pass(problem_, loops_, bias_.data(), y, *team_);
}

ks_tensor OneDnn::output() const {
  if (in_floats_) return in_floats_->output();
  const void* const y = operation_ == nullptr ? nullptr : operation_->fetch();
  return pack::dense(y, KS_F32, {problem_.m, problem_.n});
}

std::string OneDnn::runtime() const {
  if (in_floats_) return in_floats_->runtime();
  return operation_ == nullptr ? dnnl_runtime() : operation_->runtime();
}

}  // namespace kernsweep::linear
