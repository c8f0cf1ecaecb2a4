// Tiles of sums of 8-bit products that stay in registers; included by loops_of_isa.cpp only.
#pragma once

namespace kernsweep::linear {
namespace {

// Tiles::sum<rows>(tile) computes this many rows, 1 to kRows, of all columns of a panel.
#if defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 64
struct VnniTiles {
  static constexpr int kRows = 6, kVectors = 4;  // 24 sums, 4 of W, 1 of x
  static constexpr std::int64_t kColumns = 64, kGroup = 4;
  static constexpr bool kInterleaved = true;
  static constexpr std::int32_t kFlip = 128;

  template <int rows>
  static void sum(const SumTile& tile) {
    __m512i sums[rows][kVectors];
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] =
            tile.add ? _mm512_load_si512(tile.sums + r * kColumns + v * 16) : _mm512_setzero_si512();
    const std::int8_t* panel = tile.panel;
    for (std::int64_t p = 0; p < tile.depth; p += kGroup, panel += kColumns * kGroup) {
      __m512i w[kVectors];
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) w[v] = _mm512_loadu_si512(panel + v * 64);
#pragma GCC unroll 6
      for (int r = 0; r < rows; ++r) {
        std::int32_t four;
        __builtin_memcpy(&four, tile.x + r * tile.x_stride + p, sizeof four);
        const __m512i x = _mm512_set1_epi32(four);
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], x, w[v]);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) _mm512_store_si512(tile.sums + r * kColumns + v * 16, sums[r][v]);
  }
};
using Tiles = VnniTiles;
#elif defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 32
struct Avx2Tiles {
  static constexpr int kRows = 4, kVectors = 2;  // 8 sums, 2 of W, 2 of x, ones
  static constexpr std::int64_t kColumns = 16, kGroup = 4;
  static constexpr bool kInterleaved = true;
  static constexpr std::int32_t kFlip = 0;

  template <int rows>
  static void sum(const SumTile& tile) {
    const __m256i ones = _mm256_set1_epi16(1);
    auto* const to = reinterpret_cast<__m256i*>(tile.sums);
    __m256i sums[rows][kVectors];
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v)
        sums[r][v] = tile.add ? _mm256_load_si256(to + r * kVectors + v) : _mm256_setzero_si256();
    const auto* panel = reinterpret_cast<const __m256i*>(tile.panel);
    for (std::int64_t p = 0; p < tile.depth; p += kGroup, panel += kVectors) {
      __m256i w[kVectors];
#pragma GCC unroll 2
      for (int v = 0; v < kVectors; ++v) w[v] = _mm256_loadu_si256(panel + v);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) {
        std::int32_t four;
        __builtin_memcpy(&four, tile.x + r * tile.x_stride + p, sizeof four);
        const __m256i x = _mm256_set1_epi32(four);
        const __m256i magnitude = _mm256_abs_epi8(x);
#pragma GCC unroll 2
        for (int v = 0; v < kVectors; ++v) {
          const __m256i pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(w[v], x));
          sums[r][v] = _mm256_add_epi32(sums[r][v], _mm256_madd_epi16(pairs, ones));
        }
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) _mm256_store_si256(to + r * kVectors + v, sums[r][v]);
  }
};
using Tiles = Avx2Tiles;
#else
struct PlainTiles {
  static constexpr int kRows = 2;
  static constexpr std::int64_t kColumns = 16, kGroup = 2;
  static constexpr bool kInterleaved = false;
  static constexpr std::int32_t kFlip = 0;

  typedef std::int8_t Bytes __attribute__((vector_size(8)));
  typedef std::int16_t Pairs __attribute__((vector_size(16)));
  typedef std::int32_t Sums __attribute__((vector_size(32)));

  template <int rows>
  static void sum(const SumTile& tile) {
    Sums sums[rows][2] = {};
    if (tile.add) __builtin_memcpy(sums, tile.sums, sizeof sums);
    const std::int8_t* panel = tile.panel;
    for (std::int64_t p = 0; p < tile.depth; p += kGroup, panel += kColumns * kGroup)
#pragma GCC unroll 2
      for (int r = 0; r < rows; ++r) {
        const std::uint8_t* const x = tile.x + r * tile.x_stride + p;
        const auto first = static_cast<std::int16_t>((x[0] ^ 0x80) - 0x80);  // as s8
        const auto second = static_cast<std::int16_t>((x[1] ^ 0x80) - 0x80);
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          Bytes w[2];
          __builtin_memcpy(&w[0], panel + v * 8, 8);
          __builtin_memcpy(&w[1], panel + kColumns + v * 8, 8);
          const Pairs both =
              __builtin_convertvector(w[0], Pairs) * first + __builtin_convertvector(w[1], Pairs) * second;
          sums[r][v] += __builtin_convertvector(both, Sums);
        }
      }
    __builtin_memcpy(tile.sums, sums, sizeof sums);
  }
};
using Tiles = PlainTiles;
#endif

// All rows: as many tiles of `rows` rows as fit, then one of the remaining rows.
template <int rows>
void multiply(const SumTile& given) {
  SumTile tile = given;
  for (; tile.rows >= rows; tile.rows -= rows) {
    Tiles::sum<rows>(tile);
    tile.x += rows * tile.x_stride;
    tile.sums += rows * Tiles::kColumns;
  }
  if constexpr (rows > 1)
    if (tile.rows > 0) multiply<rows - 1>(tile);
}

}  // namespace
}  // namespace kernsweep::linear
