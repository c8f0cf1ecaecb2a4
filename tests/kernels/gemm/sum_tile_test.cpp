#include "kernels/reference/gemm/sum_tile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kernsweep {
namespace {

// Values whose sums depend on their order and on whether products are rounded.
double number(std::int64_t index) {
  return std::sin(static_cast<double>(index) * 1.7) * std::exp2(static_cast<double>(index % 23));
}

std::vector<double> numbers(std::int64_t count, std::int64_t first) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < count; ++i) all.push_back(number(first + i));
  return all;
}

bool fuses(const SumTile& tile) {
#if defined(__x86_64__)
  return std::string_view(tile.isa) != "baseline";
#else
  return std::fma(1 + 0x1p-30, 1 + 0x1p-30, -1.0) != 0 && tile.isa != nullptr;
#endif
}

// Each sum from what was there, product after product; what lies between rows is left alone.
TEST(SumTile, AddsProductsOneAfterTheOther) {
  for (const char* isa : {"baseline", "avx2", "avx512f"}) {
    const SumTile* const tile = sum_tile(isa);
    if (tile == nullptr) continue;
    for (const std::int64_t depth : {0, 1, 2, 255}) {
      const std::int64_t stride = tile->columns + 3;
      const std::vector<double> a = numbers(depth * tile->rows, 1);
      const std::vector<double> b = numbers(depth * tile->columns, 5000);
      const std::vector<double> before = numbers(tile->rows * stride, 9000);
      std::vector<double> c = before;
      tile->add(depth, a.data(), b.data(), c.data(), stride);
      for (std::int64_t i = 0; i < tile->rows; ++i)
        for (std::int64_t j = 0; j < stride; ++j) {
          double sum = before[static_cast<std::size_t>(i * stride + j)];
          for (std::int64_t p = 0; p < (j < tile->columns ? depth : 0); ++p) {
            const double x = a[static_cast<std::size_t>(p * tile->rows + i)];
            const double y = b[static_cast<std::size_t>(p * tile->columns + j)];
            const double rounded = x * y;
            sum = fuses(*tile) ? std::fma(x, y, sum) : sum + rounded;
          }
          ASSERT_EQ(c[static_cast<std::size_t>(i * stride + j)], sum) << isa << " " << i << " " << j;
        }
    }
  }
}

TEST(SumTile, IsTheWidestThatTheProcessorHas) {
  const std::string_view widest = widest_sum_tile().isa;
  EXPECT_NE(sum_tile(widest), nullptr);
  if (sum_tile("avx512f") != nullptr) {
    EXPECT_EQ(widest, "avx512f");
  } else if (sum_tile("avx2") != nullptr) {
    EXPECT_EQ(widest, "avx2");
  }
  EXPECT_NE(sum_tile("baseline"), nullptr);
  EXPECT_EQ(sum_tile("sse9"), nullptr);
}

}  // namespace
}  // namespace kernsweep
