// Points of linear layers for its tests.
#pragma once

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {

inline const ks_family& linear() {
  return family_of(open_pack("linear"), "linear");
}

inline Settings linear_of(int m, int n, int k) {
  return settings({{"m", m}, {"n", n}, {"k", k}});
}

// In 8 bits, with all that makes it different.
inline Settings quantised_linear_of(int m, int n, int k, const char* scales, const char* activations) {
  return with(linear_of(m, n, k), {{"dtype", "s8"}, {"scales", scales}, {"activations", activations}});
}

}  // namespace kernsweep::testing
