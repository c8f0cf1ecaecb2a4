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

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/stream/op.hpp"

namespace kernsweep::stream {

// 1 for copy and scale, 2 for add and triad; the inputs are called x and y: z = x, q x, x + y, x + q y.
constexpr int inputs_of(Op op) {
  return op == Op::copy || op == Op::scale ? 1 : 2;
}

struct Problem {
  Op op = Op::triad;
  std::int64_t n = std::int64_t{1} << 25;
  ks_dtype dtype = KS_F64;
  bool non_temporal = false;

  static std::vector<pack::Param<Problem>> params();
  std::vector<pack::Input> inputs() const;
  ks_work work() const;
  ks_tolerance tolerance() const;
  std::int64_t element_bytes() const { return dtype == KS_F64 ? 8 : 4; }
};

// One contiguous part of z = op(x, y): elements [begin, end). `z` is aligned to 64 bytes, and `begin` is a
// multiple of a 64-byte line. With `non_temporal` whole lines bypass the caches, and are visible to other
// threads when the call returns.
void compute(const Problem& problem, const void* x, const void* y, void* z, std::int64_t begin,
             std::int64_t end);

// Whether `compute` can bypass the caches on this processor.
bool has_non_temporal_stores();

// The reference: each element in f64, in order, on one thread.
class Naive {
 public:
  Naive(const Problem& problem, pack::Setup& setup);
  void run();

 private:
  template <class T>
  void compute_all();

  Problem problem_;
  const void* x_;
  const void* y_;  // null for one input
  std::span<double> z_;
};

// The family with these variants and the reference.
template <class... Variants>
pack::Family family_of(const Variants&... variants) {
  return pack::family<Problem>(
      "stream", "memory bandwidth: STREAM's copy, scale, add and triad",
      {.reference = "naive", .least = "bytes"}, variants...,
      pack::variant<Naive>("naive", "the reference: one element after the other, in f64, one thread"));
}

}  // namespace kernsweep::stream
