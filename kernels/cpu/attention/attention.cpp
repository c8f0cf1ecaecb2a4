#include <fmt/format.h>

#include "kernels/cpu/attention/fused.hpp"
#include "kernels/cpu/attention/naive.hpp"
#include "kernels/cpu/attention/plain.hpp"

namespace kernsweep::attention {

void Problem::check() const {
  if (heads % key_heads() != 0)
    throw pack::Refused(KS_BAD_PARAMETER, fmt::format("heads is {}; it must be a multiple of kv_heads ({})",
                                                      heads, kv_heads));
  constexpr std::int64_t most = std::int64_t{1} << 40;
  for (const auto& shape : {q_shape(), k_shape()}) {
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape)
      if (__builtin_mul_overflow(elements, std::max<std::int64_t>(1, extent), &elements) || elements > most)
        throw pack::Refused(
            KS_BAD_PARAMETER,
            fmt::format("an array of {} has more than 2^40 elements; make the point smaller",
                        fmt::join(shape, " x ")));
  }
}

// With u = 2^-24 and inputs from a standard normal distribution: a score is about 1 and a sum of head_dim
// products, so its error is about sqrt(head_dim) u (as in gemm), and is the relative error of its weight;
// the difference to the largest score, at most about 16, is rounded, and exp adds some u. These errors of
// the weights are independent of each other, so their effect relative to y is as large as relative to the
// root of the sum of squares, which is the size of y. A sum of kv_len weights or products adds sqrt(kv_len)
// u. The factor of 4 is for the largest of many errors. bf16: one rounding of the result, and one of each
// weight, as matrix units need.
//
// Rows of a causal y differ in size by sqrt(kv_len), so each has a scale of its own, if its largest element
// is not small by chance cancellation.
ks_tolerance Problem::tolerance() const {
  ks_tolerance out{};
  const double steps = std::sqrt(static_cast<double>(head_dim)) + std::sqrt(static_cast<double>(keys()));
  out.relative = 4 * (steps + 16) * 0x1p-24;
  if (dtype == KS_BF16) out.relative += 1.01 * 0x1p-8 + 4 * 0x1p-9;
  constexpr std::int64_t kFew = 16;
  if (head_dim >= kFew) {
    out.scale_dims = 1;
  } else if (q_len * head_dim >= kFew) {
    out.scale_dims = 2;
  } else {
    out.absolute = out.relative;
    return out;
  }
  out.absolute = static_cast<double>(std::max<std::int64_t>(1, keys())) * 0x1p-126;
  return out;
}

}  // namespace kernsweep::attention

using namespace kernsweep::attention;  // for the macro alone

KERNSWEEP_PACK(
    "attention", KERNSWEEP_PACK_VERSION,
    family<Problem>("attention", "scaled dot-product attention of queries, keys and values",
                    {.reference = "naive"},
                    variant<Fused>("fused", "ours: tiles with an online softmax, no matrix of scores"),
                    variant<Plain>("plain", "any CBLAS, with the matrix of scores of a head in memory"),
                    variant<Naive>("naive", "the reference: the sums of the definition in f64")))
