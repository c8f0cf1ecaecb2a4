// The family memory: whether a working set of `bytes` fits a GPU, and what it costs. A run allocates it,
// writes every word, reads every word and frees it. A sweep over `bytes` shows the limit: KS_OUT_OF_MEMORY,
// with the number of free bytes.
//
// The output is one number, the sum of all words modulo 2^64, which the host computes by a formula. Bytes
// after the last complete 8-byte word are allocated and not written.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/api/pack.hpp"

namespace kernsweep::cuda {

struct WorkingSet {
  std::int64_t bytes = std::int64_t{1} << 30;

  static std::vector<pack::Param<WorkingSet>> params();
  std::int64_t words() const { return bytes / 8; }
  // Every word written once and read once.
  ks_work work() const { return {.bytes = 16.0 * static_cast<double>(words())}; }
  ks_tolerance tolerance() const { return {}; }  // equal
};

pack::Variant memory_cuda();
pack::Family memory_family();

}  // namespace kernsweep::cuda
