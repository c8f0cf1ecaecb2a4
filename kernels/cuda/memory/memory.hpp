// The family memory: whether a working set of `bytes` fits a GPU, and what it costs. A run allocates it,
// writes every word, reads every word and gives it back; a sweep over `bytes` shows where it does not fit
// any more: KS_OUT_OF_MEMORY, with how much was free.
//
// The output is one number, the sum of all words modulo 2^64, which the host knows by a formula. Bytes
// beyond the last whole word of 8 are allocated and not touched.
#pragma once

#include <cstdint>

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

// KS_BAD_PARAMETER with a reason for a size that is none. `bytes` >= 8.
ks_status parse_memory(const ks_params* params, std::int64_t& bytes, ks_why why);

extern const ks_variant kMemoryCuda;
extern const ks_variant kMemoryNaive;  // the reference: the formula

extern const ks_family kMemoryFamily;

}  // namespace kernsweep::cuda
