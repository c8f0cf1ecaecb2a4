// The products of the family `gemm` as parts of this one: its variants, called by their C form.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/linear/problem.hpp"

namespace kernsweep::linear {

// A point of gemm: y = x w^T, with the epilogue only if `fused`. `more`: texts of the variant.
class ProductPoint {
 public:
  ProductPoint(const Problem& problem, bool fused,
               const std::vector<std::pair<const char*, const char*>>& more);
  ks_params params() const { return {items_.size(), items_.data()}; }

 private:
  std::vector<ks_param> items_;
};

// The C form of the result of `make`.
template <pack::Variant (*make)()>
const ks_variant& made_of() {
  static const pack::Variant made = make();
  return made.entries;
}

// The tolerance of gemm for this point in f32.
ks_tolerance product_tolerance(const Problem& problem);

// Error: Refused, with the reason of gemm's variant.
void can_multiply(const ks_variant& variant, const ProductPoint& point);

class Product {
 public:
  // `x` and `w` of the type of the point, `bias` of f32 or without data; they must outlive the product.
  // Error: Refused.
  Product(const ks_variant& variant, const ProductPoint& point, pack::Setup& setup,
          const std::vector<ks_tensor>& operands);
  void run();                  // Error: Refused
  const void* result() const;  // of the last run; null if it is not available
  std::string runtime() const { return variant_->runtime(state_.get()); }

 private:
  const ks_variant* variant_;
  std::unique_ptr<void, void (*)(void*)> state_;
};

}  // namespace kernsweep::linear
