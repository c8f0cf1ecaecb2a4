// The family memory: whether a working set of `bytes` fits a GPU, and what it costs. A run allocates it,
// writes every word, reads every word and frees it. A sweep over `bytes` shows the limit: KS_OUT_OF_MEMORY,
// with the number of free bytes.
//
// The output is one number, the sum of all words modulo 2^64, which the host computes by a formula. Bytes
// after the last whole word of 8 are allocated and not written.
#pragma once

#include <cstdint>

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

// KS_BAD_PARAMETER with a reason for an invalid size. `bytes` >= 8.
ks_status parse_memory(const ks_params* params, std::int64_t& bytes, ks_why why);

extern const ks_variant kMemoryCuda;
extern const ks_variant kMemoryNaive;  // the reference: the formula

extern const ks_family kMemoryFamily;

}  // namespace kernsweep::cuda
