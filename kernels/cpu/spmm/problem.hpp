// The problem of the family spmm: Y = A B with a sparse A [m, k] and a dense B [k, n], Y [m, n], all f32,
// row-major.
//
// A is given dense, as the pruned weights of a layer are: `a` [m, k], and for a pattern of blocks also
// `mask`, one element for each block; A is `a` where the mask is not 0. Variants make their own formats
// from these in `prepare`: the family declares both as constant.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/cpu/spmm/market.hpp"
#include "kernels/cpu/spmm/matrix.hpp"

namespace kernsweep::spmm {

struct Problem {
  std::int64_t m = -1, n = 0, k = -1;  // -1: not given
  double sparsity = 0.9;
  std::int64_t block = 1;  // of the pattern; block x block elements are kept or dropped together
  std::string matrix;      // path of a Matrix Market file; empty: the host makes A
  MarketSize of_file;      // filled in by `check`

  static std::vector<pack::Param<Problem>> params();
  std::vector<pack::Input> inputs() const;
  ks_work work() const;  // the expected work; variants report the actual one
  ks_tolerance tolerance() const;

  // Called when the point is read; takes m and k from the file. Refused with KS_BAD_PARAMETER: an operand
  // would have more than 2^40 elements, the file cannot be read, there is neither m and k nor a file.
  void check();
  std::int64_t block_rows() const { return (m + block - 1) / block; }
  std::int64_t block_cols() const { return (k + block - 1) / block; }
};

// A, without the zeros of operands; with those in a file. Refused as for `check`.
Csr sparse_operand(const Problem& problem, const pack::Setup& setup);

// B, the last of the operands.
std::span<const float> dense_operand(const pack::Setup& setup);

// 2 operations for each non-zero element of A and each column of B; `format_bytes` for A, and B and Y once.
// For Setup::report_work.
ks_work work_of(const Problem& problem, std::int64_t kept, double format_bytes);

}  // namespace kernsweep::spmm
