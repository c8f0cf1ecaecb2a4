// The arrays of a measurement as the harness makes and reads them.
#pragma once

#include <vector>

#include "tests/kernels/pack_harness.hpp"
#include "tests/kernels/pack_memory.hpp"

namespace kernsweep::testing {

// Dense arrays with the elements that the descriptions ask for, sealed against writing. The same for the
// same seed.
std::vector<ks_tensor> make_inputs(const std::vector<ks_input>& inputs, GuardedMemory& memory,
                                   const HostOptions& options);

// Reads a strided view into measured's type, shape, strides and dense row-major values.
void read_view(const ks_tensor& view, Measured& measured);

// Overwrites a view whose elements lie together by NaN, which is -1 of whole numbers.
void overwrite(const ks_tensor& view);

}  // namespace kernsweep::testing
