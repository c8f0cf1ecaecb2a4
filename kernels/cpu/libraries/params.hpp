// The parameters of a point, and the reasons that a pack gives, as C++ wants them.
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

  // Whether every documented parameter that is present has the documented kind (a whole number will do for
  // a KS_FLOAT) and is one of its choices, and whether every required one is there. KS_BAD_PARAMETER with a
  // reason.
  ks_status check(const ks_param_doc* docs, std::size_t doc_count, ks_why why) const;

 private:
  const ks_param* find(std::string_view name) const;

  const ks_params* params_;
};

// Writes `reason` for a person, shortened to the room there is but never in the middle of a UTF-8
// character, and gives `status` back: `return refuse(KS_UNSUPPORTED, why, "...")`.
ks_status refuse(ks_status status, ks_why why, std::string_view reason);

constexpr ks_dtype ks_dtype_of(Dtype dtype) {
  return static_cast<ks_dtype>(dtype);
}
constexpr Dtype dtype_of(ks_dtype dtype) {
  return static_cast<Dtype>(dtype);
}

}  // namespace kernsweep
