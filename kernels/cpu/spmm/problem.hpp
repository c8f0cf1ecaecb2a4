// What the family spmm asks: Y = A B with a sparse A [m, k] and a dense B [k, n], Y [m, n], all f32,
// row-major.
//
// A is given dense, as the pruned weights of a layer are: `a` [m, k], and for a pattern of blocks also
// `mask`, one element for each block; A is a where the mask is not 0. What else a variant needs, it makes
// of these in `prepare`: the family declares both as constant.
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
  std::string matrix;      // path of a Matrix Market file; empty: A is made by the host
  MarketSize of_file;      // as `check` found it

  static std::vector<pack::Param<Problem>> params();
  std::vector<pack::Input> inputs() const;
  ks_work work() const;  // what is expected; variants report what it is
  ks_tolerance tolerance() const;

  // Called when it is read; takes m and k from the file. Refused with KS_BAD_PARAMETER: an operand would
  // have more than 2^40 elements, the file cannot be read, there is neither m and k nor a file.
  void check();
  std::int64_t block_rows() const { return (m + block - 1) / block; }
  std::int64_t block_cols() const { return (k + block - 1) / block; }
};

// A, without the zeros of operands; with those that a file lists. Refused as `check` does.
Csr sparse_operand(const Problem& problem, const pack::Setup& setup);

// B, the last of the operands.
std::span<const float> dense_operand(const pack::Setup& setup);

// 2 operations for each element of A that is not 0 and each column of B; of the format `format_bytes`, B
// and Y once. For Setup::report_work.
ks_work work_of(const Problem& problem, std::int64_t kept, double format_bytes);

}  // namespace kernsweep::spmm
