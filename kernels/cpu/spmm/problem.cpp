#include "kernels/cpu/spmm/problem.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep::spmm {

using pack::param;

namespace {

// Elements of the longest row, times the largest element.
double size_of_row(const Csr& a) {
  std::int32_t longest = 0;
  for (std::size_t i = 0; i + 1 < a.begins.size(); ++i)
    longest = std::max(longest, a.begins[i + 1] - a.begins[i]);
  double largest = 0;
  for (const float value : a.values) largest = std::max(largest, std::abs(static_cast<double>(value)));
  return longest * largest;
}

}  // namespace

std::vector<pack::Param<Problem>> Problem::params() {
  return {param<&Problem::m>({.name = "m",
                              .summary = "rows of A and Y; required without `matrix`",
                              .fallback = "",
                              .least = 0}),
          param<&Problem::n>({.name = "n", .summary = "columns of B and Y", .least = 0}),
          param<&Problem::k>({.name = "k",
                              .summary = "columns of A, rows of B; required without `matrix`",
                              .fallback = "",
                              .least = 0}),
          param<&Problem::sparsity>({.name = "sparsity",
                                     .summary = "share of the elements of A that are zeros, 0 to 0.9999",
                                     .fallback = "0.9",
                                     .least = 0,
                                     .most = 0.9999}),
          param<&Problem::block>({.name = "block",
                                  .summary = "pattern of A: blocks of block x block elements are zeros "
                                             "or not; 1: single elements",
                                  .fallback = "1",
                                  .least = 1,
                                  .most = 128}),
          param<&Problem::matrix>({.name = "matrix",
                                   .summary = "path of a Matrix Market file that has A; m, k, sparsity and "
                                              "block are its own then",
                                   .fallback = ""})};
}

void Problem::check() {
  if (!matrix.empty()) {
    if (m >= 0 || k >= 0 || block != 1)
      throw pack::Refused(KS_BAD_PARAMETER,
                          "matrix: its file says m, k and the pattern; leave out m, k and block");
    of_file = market_size(matrix);
    m = of_file.rows;
    k = of_file.cols;
    const double all = static_cast<double>(m) * static_cast<double>(k);
    sparsity = all > 0 ? 1 - static_cast<double>(of_file.entries) / all : 0;
  }
  if (m < 0 || k < 0)
    throw pack::Refused(KS_BAD_PARAMETER,
                        std::string(m < 0 ? "m" : "k") + " is missing, and there is no `matrix`");
  constexpr double kElementsMax = 0x1p40;
  const auto many = [](std::int64_t rows, std::int64_t cols) {
    return static_cast<double>(rows) * static_cast<double>(cols) > kElementsMax;
  };
  if ((matrix.empty() && many(m, k)) || many(k, n) || many(m, n))
    throw pack::Refused(KS_BAD_PARAMETER, "a matrix would have more than 2^40 elements; take less");
  // Column numbers have 32 bits, as in all libraries.
  if (std::max({m, n, k}) > INT32_MAX)
    throw pack::Refused(KS_BAD_PARAMETER, "m, n and k must be below 2^31");
}

std::vector<pack::Input> Problem::inputs() const {
  if (!matrix.empty()) return {{"b", KS_F32, {k, n}}};
  pack::Input a{"a", KS_F32, {m, k}};
  pack::Input mask{"mask", KS_F32, {block_rows(), block_cols()}, KS_INTEGERS, 1, 1};
  (block == 1 ? a : mask).density = 1 - sparsity;
  std::vector<pack::Input> out{a};
  if (block > 1) out.push_back(mask);
  out.push_back({"b", KS_F32, {k, n}});
  return out;
}

ks_work Problem::work() const {
  const double kept = (1 - sparsity) * static_cast<double>(m) * static_cast<double>(k);
  // CSR: a value and a column for each element that is kept, a position for each row.
  return work_of(*this, std::llround(kept), 8 * kept + 4 * static_cast<double>(m + 1));
}

// A sum of c terms in f32 has an error of about sqrt(c) u of its own size, and no term is dropped: 4
// sqrt(k) u, as for gemm. Rows of few results may be small by cancellation; then the scale is that of all
// results. The largest of few may be small, too: sums of c terms have a size of about sqrt(c / 9), or for a
// file sqrt(c / 3) of its largest element.
ks_tolerance Problem::tolerance() const {
  constexpr std::int64_t kFewOfRow = 16;
  const double depth = static_cast<double>(k);
  const double kept = matrix.empty() ? 2 * (1 - sparsity) * depth + 16 * static_cast<double>(block) : depth;
  const double terms = std::max(1.0, std::min(depth, kept));
  ks_tolerance out{.relative = 4 * std::sqrt(terms) * 0x1p-24};
  if (n >= kFewOfRow)
    out.scale_dims = 1;
  else if (matrix.empty())
    out.absolute = terms * 0x1p-24;
  else
    out.absolute = size_of_row(read_market(matrix, of_file)) * 0x1p-24;
  return out;
}

Csr sparse_operand(const Problem& problem, const pack::Setup& setup) {
  if (!problem.matrix.empty()) {
    setup.report_source("input", "matrix", problem.matrix.c_str());
    return read_market(problem.matrix, problem.of_file);
  }
  const std::span<const float> a = setup.input<float>(0);
  if (problem.block == 1) return csr_of(a, problem.m, problem.k, {});
  return csr_of(a, problem.m, problem.k, {setup.input<float>(1), problem.block});
}

std::span<const float> dense_operand(const pack::Setup& setup) {
  return setup.input<float>(setup.inputs() - 1);
}

ks_work work_of(const Problem& problem, std::int64_t kept, double format_bytes) {
  const auto n = static_cast<double>(problem.n);
  return {.flops = 2 * static_cast<double>(kept) * n,
          .bytes = format_bytes + 4 * n * static_cast<double>(problem.k + problem.m)};
}

}  // namespace kernsweep::spmm
