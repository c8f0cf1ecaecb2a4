// The limits of a host, measured: how fast it can multiply and add, and how fast each level of its memory
// can be read and written (S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual
// Performance Model for Multicore Architectures", Communications of the ACM 52(4), 2009).
//
//   op      does                                              work of one run
//   fma     chains of multiply-adds in registers              `operations`
//   read    sums an array of f64                              8 bytes per element, 1 operation
//   copy    z = x                                             16 bytes per element
//   triad   z = x + 3 y                                       24 bytes per element, 2 operations
//
// `operations`, `bytes` and the work are totals of all threads: each has an equal share, and no data is
// shared. A run processes the arrays `passes` times, so that it is long compared with the start of the
// threads, even for a working set as small as a first-level cache.
//
// The output is two numbers, the same for every variant and number of threads: the smallest and the largest
// of values that should all be equal (the sums per round and step, the mean of the values read, the
// elements written). Arrays contain ones (x) and twos (y): 1 and 1 for fma, read and copy; 7 and 7 for
// triad.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/api/pack.hpp"

namespace kernsweep::roof {

enum class Op { fma, read, copy, triad };

constexpr int arrays_of(Op op) {
  return op == Op::triad ? 3 : op == Op::copy ? 2 : op == Op::read ? 1 : 0;
}

struct Problem {
  Op op = Op::fma;
  std::string type = "f64";  // in the syntax of the sweep
  std::int64_t operations = std::int64_t{1} << 27;
  std::int64_t bytes = std::int64_t{1} << 28;
  std::int64_t passes = 1;
  bool non_temporal = false;
  // What follows from them:
  ks_dtype dtype = KS_F64;
  bool tf32 = false;          // f32 whose arithmetic may keep only 10 bits of fraction
  std::int64_t blocks = 0;    // fma: number of blocks of kBlockOperations
  std::int64_t elements = 0;  // other ops: elements of each array

  static std::vector<pack::Param<Problem>> params();
  // Refused: KS_BAD_PARAMETER for arrays without elements, KS_UNSUPPORTED for those of another type than
  // f64.
  void check();
  ks_work work() const;
  ks_tolerance tolerance() const { return {}; }  // sums of ones and small whole numbers are exact
};

// Divides `whole`, in multiples of `piece`, into `parts` parts: part `part` begins here and ends at
// share(.., part + 1).
constexpr std::int64_t share(std::int64_t whole, std::int64_t piece, std::int64_t part,
                             std::int64_t parts) {
  const std::int64_t pieces = (whole + piece - 1) / piece;
  const std::int64_t begin = (pieces / parts * part + pieces % parts * part / parts) * piece;
  return begin < whole ? begin : whole;
}

// The smallest and largest of values that should all be equal. A NaN is kept: comparisons with it are
// false.
struct Extent {
  double smallest = 0, largest = 0;
  bool empty = true;
  void add(double value) {
    if (empty || value < smallest || value != value) smallest = value;
    if (empty || value > largest || value != value) largest = value;
    empty = false;
  }
};

// The memory of an output.
class Result {
 public:
  explicit Result(pack::Setup& setup) : values_(setup.output<double>({2})) {}
  ks_tensor shown(const Extent& extent) const {
    values_[0] = extent.smallest;
    values_[1] = extent.largest;
    return pack::dense(values_.data(), KS_F64, {2});
  }

 private:
  std::span<double> values_;
};

// The reference: returns the right output without computing it.
class Expected {
 public:
  Expected(const Problem& problem, pack::Setup& setup)
      : result_(setup), value_(problem.op == Op::triad ? 7 : 1) {}
  void run() {}
  ks_tensor output() const { return result_.shown({value_, value_, false}); }

 private:
  Result result_;
  double value_;
};

// The family with these variants and the reference; packs for other devices use the same family.
template <class... Variants>
pack::Family family_of(const Variants&... variants) {
  return pack::family<Problem>(
      "roof", "the limits of a host: multiply-adds, and bandwidth at any size", {.reference = "expected"},
      variants...,
      pack::variant<Expected>("expected", "the reference: what must come out; computes nothing"));
}

}  // namespace kernsweep::roof
