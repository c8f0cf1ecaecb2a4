// Points of the gemm family for its tests.
#pragma once

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {

inline const ks_family& gemm() {
  static const ks_family& family = family_of(open_pack("gemm"), "gemm");
  return family;
}

inline Settings product(int m, int n, int k, const char* dtype = "f32") {
  return settings({{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}});
}

}  // namespace kernsweep::testing
