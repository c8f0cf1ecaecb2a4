#include "kernels/cpu/gemm/variants.hpp"
#include "kernels/cpu/linear/variants.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep::linear {
namespace {

Problem in_f32(Problem problem) {
  problem.dtype = KS_F32;
  return problem;
}

void require_f32(const Problem& problem, const char* name) {
  if (problem.dtype != KS_F32)
    throw pack::Refused(KS_UNSUPPORTED,
                        std::string(name) + " multiplies f32 only; onednn does bf16 and s8, own s8");
}

}  // namespace

FloatLayer::FloatLayer(const Problem& problem, const ks_variant& variant, const ProductPoint& point,
                       bool fused, ks_dtype result, pack::Setup& setup)
    : problem_(problem),
      fused_(fused),
      result_(result),
      loops_(*find_loops("best")),
      team_(team_of(setup)),
      x_(setup.input<float>(0)) {
  std::vector<ks_tensor> operands{setup.tensor(0), setup.tensor(1)};
  if (problem.epilogue().has_bias) {
    bias_ = setup.input<float>(2);
    operands.push_back(setup.tensor(2));
  }
  if (problem.dtype == KS_BF16) {
    const std::span<const float> w = setup.input<float>(1);
    x_bf16_ = setup.allocate<std::uint16_t>(x_.size());
    w_bf16_ = setup.allocate<std::uint16_t>(w.size());
    loops_.to_bf16(w.data(), static_cast<std::int64_t>(w.size()), w_bf16_.data());
    operands[0] = pack::dense(x_bf16_.data(), KS_BF16, {problem.m, problem.k});
    operands[1] = pack::dense(w_bf16_.data(), KS_BF16, {problem.n, problem.k});
  }
  product_ = std::make_unique<Product>(variant, point, setup, operands);
}

void FloatLayer::run() {
  if (problem_.dtype == KS_BF16)
    on_each(*team_, problem_.m, [&](std::int64_t row) {
      loops_.to_bf16(x_.data() + row * problem_.k, problem_.k, x_bf16_.data() + row * problem_.k);
    });
  product_->run();
  if (fused_) return;
  auto* const y = static_cast<float*>(const_cast<void*>(product_->result()));  // memory of this layer
  finish_pass(problem_, loops_, bias_.data(), y, *team_);
}

Naive::Naive(const Problem& problem, pack::Setup& setup)
    : FloatLayer(in_f32(problem), made_of<gemm_naive>(), ProductPoint(in_f32(problem), true, {}), true,
                 KS_F64, setup) {}

Blas::Blas(const Problem& problem, const BlasSettings& settings, pack::Setup& setup)
    : FloatLayer(problem, made_of<gemm_blas>(),
                 ProductPoint(problem, false, {{"blas.library", settings.library.c_str()}}), false, KS_F32,
                 setup) {}

void Blas::can_run(const Problem& problem) {
  require_f32(problem, "blas");
  can_multiply(made_of<gemm_blas>(), ProductPoint(problem, false, {}));
}

Blocked::Blocked(const Problem& problem, pack::Setup& setup)
    : FloatLayer(problem, made_of<gemm_blocked>(), ProductPoint(problem, false, {}), false, KS_F32, setup) {
}

void Blocked::can_run(const Problem& problem) {
  require_f32(problem, "blocked");
  can_multiply(made_of<gemm_blocked>(), ProductPoint(problem, false, {}));
}

}  // namespace kernsweep::linear
