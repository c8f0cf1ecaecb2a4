#include "kernels/cpu/linear/product.hpp"

#include <algorithm>

#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep::linear {
namespace {

void require(ks_status status, const char* reason) {
  if (status != KS_OK) throw pack::Refused(status, reason);
}

}  // namespace

ProductPoint::ProductPoint(const Problem& problem, bool fused,
                           const std::vector<std::pair<const char*, const char*>>& more) {
  const auto whole = [this](const char* name, std::int64_t value) {
    items_.push_back({name, KS_INTEGER, value, static_cast<double>(value), ""});
  };
  const auto text = [this](const char* name, const char* value) {
    items_.push_back({name, KS_TEXT, 0, 0, value});
  };
  whole("m", problem.m);
  whole("n", problem.n);
  whole("k", problem.k);
  text("trans_b", "t");
  text("dtype", problem.dtype == KS_BF16 ? "bf16" : "f32");
  text("out", "f32");
  text("epilogue", fused ? name_of(problem.epilogue()).data() : "none");
  for (const auto& [name, value] : more) text(name, value);
}

ks_tolerance product_tolerance(const Problem& problem) {
  Problem in_f32 = problem;
  in_f32.dtype = KS_F32;
  const ProductPoint point(in_f32, true, {});
  const ks_params params = point.params();
  static pack::Family made = gemm_family_of();
  static const ks_family& family = made.c_form();
  ks_tolerance out{};
  require(family.tolerance(&params, &out), "gemm has no such product");
  return out;
}

void can_multiply(const ks_variant& variant, const ProductPoint& point) {
  char reason[512] = "";
  const ks_params params = point.params();
  require(variant.can_run(&params, {reason, sizeof reason}), reason);
}

Product::Product(const ks_variant& variant, const ProductPoint& point, pack::Setup& setup,
                 const std::vector<ks_tensor>& operands)
    : variant_(&variant), state_(nullptr, variant.release) {
  char reason[512] = "";
  const ks_params params = point.params();
  void* state = nullptr;
  require(variant.prepare(&params, &setup.context(), operands.data(), operands.size(), &state,
                          {reason, sizeof reason}),
          reason);
  state_.reset(state);
}

void Product::run() {
  require(variant_->run(state_.get()), "the product could not be computed");
}

const void* Product::result() const {
  ks_tensor out{};
  return variant_->output(state_.get(), &out) == KS_OK ? out.data : nullptr;
}

}  // namespace kernsweep::linear
