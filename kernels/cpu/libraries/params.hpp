// Reasons for refusals, and the names of element types in the interface of packs.
#pragma once

#include <string_view>

#include "kernels/api/pack.h"
#include "shared/base/dtype.hpp"

namespace kernsweep {

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
