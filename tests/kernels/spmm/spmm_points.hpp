// The family spmm, and points of it.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {

inline const ks_family& spmm() {
  static const ks_family& family = family_of(open_pack("spmm"), "spmm");
  return family;
}

inline Settings spmm_of(int m, int n, int k, double sparsity, int block) {
  return settings({{"m", m}, {"n", n}, {"k", k}, {"sparsity", sparsity}, {"block", block}});
}

// Whether this build has the variant, with these threads: eigen needs Eigen, and OpenMP for its threads.
inline bool can_run_at_all(const std::string& variant, const Settings& own = {}, int threads = 1) {
  Settings set = own;
  set.merge(spmm_of(1, 1, 1, 0, 1));
  return measure(spmm(), variant, set, {.threads = threads}).status != KS_UNSUPPORTED;
}

// Those of `names` that can run.
inline std::vector<std::string> able(std::vector<std::string> names, int threads = 1) {
  std::erase_if(names, [&](const std::string& name) { return !can_run_at_all(name, {}, threads); });
  return names;
}

}  // namespace kernsweep::testing
