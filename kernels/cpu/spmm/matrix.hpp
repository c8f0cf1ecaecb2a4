// Sparse matrices in the formats of the variants, made from a dense one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kernsweep::spmm {

// Compressed sparse rows: the non-zero elements of row i are [begins[i], begins[i + 1]), in the order of
// their columns.
struct Csr {
  std::vector<std::int32_t> begins;   // rows + 1 of them
  std::vector<std::int32_t> columns;  // of each element
  std::vector<float> values;
  double bytes() const;
};

// Block compressed sparse rows: block x block elements, row-major, for each block with a non-zero element.
// Blocks at the lower and right edges are padded with zeros.
struct Bsr {
  std::int64_t block = 1;
  std::vector<std::int32_t> begins;   // block rows + 1 of them
  std::vector<std::int32_t> columns;  // of each block, in blocks
  std::vector<float> values;
  double bytes() const;
};

// One element for each block of block x block elements of a matrix, row-major; blocks with 0 are dropped.
// Empty: no block is dropped.
struct BlockMask {
  std::span<const float> kept;
  std::int64_t block = 1;
};

// `dense` [rows, cols], row-major. Refused: more than 2^31 - 1 non-zero elements.
Csr csr_of(std::span<const float> dense, std::int64_t rows, std::int64_t cols, const BlockMask& mask);
Bsr bsr_of(const Csr& from, std::int64_t cols, std::int64_t block);

// Bounds of `shares` runs of rows with about equally many elements (or blocks): shares + 1 row numbers,
// ascending.
std::vector<std::int64_t> even_shares(const std::vector<std::int32_t>& begins, int shares);

}  // namespace kernsweep::spmm
