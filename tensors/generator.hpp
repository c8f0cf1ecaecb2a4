// Makes the bytes of a tensor from its description: the same bytes on every host, with any number of
// threads.
//
// Element i depends only on (description, i). docs/internals/tensors.md specifies which random bits it uses
// and how it is computed, so that other programs can make the same bytes. In short, with the words of
// philox.hpp:
//   stream 0   values: 16, 32 or 64 bits for each element, by type and range.
//   stream 1   sparsity: 16 bits for each element, and 16 of stream 2 if those do not decide.
//   floats     uniform and normal are computed in f32 (f64 for f64) and rounded to shorter types. uniform
//              never returns b, even if rounding would.
#pragma once

#include <cstddef>
#include <span>

#include "shared/base/result.hpp"
#include "tensors/loops.hpp"
#include "tensors/spec.hpp"

namespace kernsweep {

// Fills `out` with the tensor on `threads` threads. The calling thread is one of them; the others inherit
// its affinity. Errors: the description is not valid(); it names a file; `out` has another size than
// bytes().
Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads);

// The same with chosen instructions, for the test that all give the same bytes. Requires that they are
// usable.
Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads, Instructions instructions);

}  // namespace kernsweep
