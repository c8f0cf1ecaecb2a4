// The families of this pack: kernels that move much memory for little arithmetic. Each has a file of its
// own, with its problem and its variants `naive` (the reference, f64, one thread), `own` and `onednn`.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep::memory_bound {

pack::Family softmax_family();
pack::Family layernorm_family();
pack::Family elementwise_family();
pack::Family reduction_family();
pack::Family transpose_family();
pack::Family gather_family();

// Refused: the product of the extents is above 2^40 elements. None of them is negative.
void check_elements(std::initializer_list<std::int64_t> extents);

}  // namespace kernsweep::memory_bound
