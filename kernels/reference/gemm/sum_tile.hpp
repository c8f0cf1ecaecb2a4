// The innermost part of the reference product: a tile of sums that stays in registers while p increases.
//
// Each sum adds its products one after the other, with p ascending: vectors hold neighbouring sums, never
// parts of one. So all tiles give the same bits, whatever their shape, if the processor fuses a * b + c;
// the baseline of x86-64, which cannot, rounds each product first. Independent of the tiles of the variant
// `blocked`, which the reference verifies.
#pragma once

#include <cstdint>
#include <string_view>

namespace kernsweep {

struct SumTile {
  const char* isa;
  std::int64_t rows, columns;
  // c[i * stride + j] += a[p * rows + i] * b[p * columns + j] for p = 0 ... depth - 1.
  void (*add)(std::int64_t depth, const double* a, const double* b, double* c, std::int64_t stride);
};

// "avx512f", "avx2" or "baseline"; null if this processor does not have the instructions.
const SumTile* sum_tile(std::string_view isa);
const SumTile& widest_sum_tile();

}  // namespace kernsweep
