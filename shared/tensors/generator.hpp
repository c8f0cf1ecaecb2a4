// Makes the bytes of a tensor from its description: the same bytes on every host, with any number of
// threads.
//
// Element i depends only on (description, i). With the words of philox.hpp:
//   stream 0   values. Where one word suffices (uniform and xavier of f32, bf16, f16; normal and kaiming of
//   the same;
//              integers of at most 2^16 different numbers) element i takes word i % 4 of block i / 4;
//              otherwise it takes the two words 2 * (i % 2) and 2 * (i % 2) + 1 of block i / 2, the low one
//              first.
//   stream 1   sparsity. Element i is kept if word i % 4 of block i / 4 is below ceil(density * 2^32), else
//   it is zero. integers   a + floor(n * u), n = b - a + 1, u = word / 2^32 or pair / 2^64: the shares of
//   the n numbers differ by at
//              most one part in 2^16 (one word) or in 2^10 (pairs, n near 2^54).
//   floats     see loops.hpp. uniform and xavier are computed in f32 (f64 for f64), normal and kaiming in
//   f64; f16 and
//              bf16 are rounded from the f32. uniform never gives b, even where rounding would.
#pragma once

#include <cstddef>
#include <span>

#include "shared/result.hpp"
#include "shared/tensors/loops.hpp"
#include "shared/tensors/spec.hpp"

namespace kernsweep {

// Fills `out` with the tensor, on `threads` threads (the caller's is one of them; they inherit its
// affinity). Errors: the description is not valid(); it names a file; `out` has another size than bytes().
Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads);

// The same with chosen instructions, for the test that they make no difference. Requires: usable.
Status generate(const TensorSpec& spec, std::span<std::byte> out, int threads, Instructions instructions);

}  // namespace kernsweep
