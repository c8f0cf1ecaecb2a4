// Access in C++ to the parameters of a point, and reasons for refusals.
//
// A view: it owns nothing and lives as long as the ks_params that it was made of. A parameter that is
// KS_NULL counts as absent: a sweep file writes `null` for "not set". Reading never fails; a pack calls
// `check` once, first, and may then rely on kinds and choices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "kernels/api/pack.h"
#include "shared/base/dtype.hpp"

namespace kernsweep {

class Params {
 public:
  explicit Params(const ks_params* params) : params_(params) {}

  bool present(std::string_view name) const { return find(name) != nullptr; }

  // The value, or `fallback` when it is absent or of another kind.
  std::int64_t integer(std::string_view name, std::int64_t fallback) const;
  double real(std::string_view name, double fallback) const;
  bool boolean(std::string_view name, bool fallback) const;
  const char* text(std::string_view name, const char* fallback) const;

  // Checks that every documented parameter that is present has the documented kind (a whole number is valid
  // for KS_FLOAT) and is one of its choices, and that every required one is present. KS_BAD_PARAMETER with
  // a reason if not.
  ks_status check(const ks_param_doc* docs, std::size_t doc_count, ks_why why) const;

 private:
  const ks_param* find(std::string_view name) const;

  const ks_params* params_;
};

// Writes `reason` to `why`, shortened to its size but never within a UTF-8 character, and returns `status`:
// `return refuse(KS_UNSUPPORTED, why, "...")`.
ks_status refuse(ks_status status, ks_why why, std::string_view reason);

constexpr ks_dtype ks_dtype_of(Dtype dtype) {
  return static_cast<ks_dtype>(dtype);
}
constexpr Dtype dtype_of(ks_dtype dtype) {
  return static_cast<Dtype>(dtype);
}

}  // namespace kernsweep
