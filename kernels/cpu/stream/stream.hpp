// STREAM: the memory bandwidth of one host, by four loops over arrays too large for the caches (J. D.
// McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
// Newsletter, 1995).
//
//   op     does           bytes per element as STREAM counts    flops
//   copy   c = a          2 elements                            0
//   scale  b = q c        2 elements                            1
//   add    c = a + b      3 elements                            1
//   triad  a = b + q c    3 elements                            2
//
// q = 3. Only the loads and stores of the loop are counted. A normal store first reads the line that it
// overwrites, so the hardware moves 3/2 (copy, scale) or 4/3 (add, triad) of the counted bytes, and
// streaming stores give a higher figure. This is STREAM's convention, so figures can be compared with
// published ones.
//
// `n` elements per array. STREAM requires at least four times the size of all last-level caches together;
// smaller arrays measure the caches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/api/pack.h"

namespace kernsweep::stream {

inline constexpr double kScalar = 3.0;

enum class Op { copy, scale, add, triad };

struct Problem {
  Op op = Op::triad;
  ks_dtype dtype = KS_F64;
  std::int64_t n = 0;
  bool non_temporal = false;
};

// KS_BAD_PARAMETER with a reason for an invalid size, operation or type.
ks_status parse(const ks_params* params, Problem& problem, ks_why why);

// 1 for copy and scale, 2 for add and triad; the inputs are called x and y: z = x, q x, x + y, x + q y.
constexpr int inputs_of(Op op) {
  return op == Op::copy || op == Op::scale ? 1 : 2;
}
std::int64_t element_bytes(ks_dtype dtype);

// One contiguous part of z = op(x, y): elements [begin, end). `z` is aligned to 64 bytes, and `begin` is a
// multiple of a 64-byte line. With `non_temporal` whole lines bypass the caches, and are visible to other
// threads when the call returns.
void compute(const Problem& problem, const void* x, const void* y, void* z, std::int64_t begin,
             std::int64_t end);

// Whether `compute` can bypass the caches on this processor.
bool has_non_temporal_stores();

// The family with these variants; kNaive must be among them. Keeps the pointer `variants`.
ks_family family_of(const ks_variant* const* variants, std::size_t variant_count);

extern const ks_variant kLoop;   // compiler-vectorised, threads
extern const ks_variant kNaive;  // the reference: one thread, in f64

}  // namespace kernsweep::stream
