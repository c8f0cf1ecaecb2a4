// Points of attention for its tests.
#pragma once

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {

inline const ks_family& attention() {
  return family_of(open_pack("attention"), "attention");
}

inline Settings attention_of(int heads, int q_len, int kv_len, int head_dim) {
  return settings({{"heads", heads}, {"q_len", q_len}, {"kv_len", kv_len}, {"head_dim", head_dim}});
}

}  // namespace kernsweep::testing
