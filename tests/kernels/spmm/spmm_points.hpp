// The family spmm, and points of it.
#pragma once

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {

inline const ks_family& spmm() {
  static const ks_family& family = family_of(open_pack("spmm"), "spmm");
  return family;
}

inline Settings spmm_of(int m, int n, int k, double sparsity, int block) {
  return settings({{"m", m}, {"n", n}, {"k", k}, {"sparsity", sparsity}, {"block", block}});
}

}  // namespace kernsweep::testing
