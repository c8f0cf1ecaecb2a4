// Transposes of matrices of f32; included by loops_of_isa.cpp only.
//
// Squares of 16 x 16 elements are transposed in registers, so that lines of 64 bytes are read and written
// whole. Squares follow each other along the rows of x, over a width that keeps the pages of y in the TLB.
#pragma once

#include <utility>

namespace kernsweep::memory_bound {
namespace {

constexpr Index kTransposeWidth = 2048;
constexpr Index kTransposeAhead = 32;  // elements of each row that are fetched beforehand

// One of two vectors after an exchange of the lanes whose number has the bit `d`, in a, with those that do
// not have it, in b.
template <int d, bool second, int... lane>
[[gnu::always_inline]] inline Vec exchanged(Vec a, Vec b, std::integer_sequence<int, lane...>) {
  constexpr int kOther = static_cast<int>(kLanes);
  if constexpr (second) {
    return __builtin_shufflevector(a, b, ((lane & d) != 0 ? kOther + lane : lane + d)...);
  } else {
    return __builtin_shufflevector(a, b, ((lane & d) != 0 ? kOther + lane - d : lane)...);
  }
}

// Transposes kLanes vectors of kLanes elements, one bit of their numbers after the other.
template <int d>
[[gnu::always_inline]] inline void transpose_registers(Vec (&v)[kLanes]) {
  constexpr std::make_integer_sequence<int, static_cast<int>(kLanes)> kAll{};
#pragma GCC unroll 16
  for (int i = 0; i < static_cast<int>(kLanes); ++i) {
    if ((i & d) != 0) continue;
    const Vec a = v[i], b = v[i + d];
    v[i] = exchanged<d, false>(a, b, kAll);
    v[i + d] = exchanged<d, true>(a, b, kAll);
  }
  if constexpr (d > 1) transpose_registers<d / 2>(v);
}

template <bool past>
[[gnu::always_inline]] inline void transpose_square(const float* x, Index x_row, float* y, Index y_row) {
  constexpr Index kVectors = kLine / kLanes;  // of a line
#pragma GCC unroll 16
  for (Index i = 0; i < kLine; ++i) __builtin_prefetch(x + i * x_row + kTransposeAhead);
  for (Index column = 0; column < kLine; column += kLanes) {
    Vec v[kVectors][kLanes];
    for (Index h = 0; h < kVectors; ++h) {
#pragma GCC unroll 16
      for (Index i = 0; i < kLanes; ++i) v[h][i] = load(x + (h * kLanes + i) * x_row + column);
      transpose_registers<static_cast<int>(kLanes) / 2>(v[h]);
    }
#pragma GCC unroll 16
    for (Index i = 0; i < kLanes; ++i) {
      for (Index h = 0; h < kVectors; ++h) {
        float* const to = y + (column + i) * y_row + h * kLanes;
        if constexpr (past) {
          store_past(to, v[h][i]);
        } else {
          store(to, v[h][i]);
        }
      }
    }
  }
}

template <bool past>
inline void transpose_columns(const Transpose& t) {
  const Index whole_rows = t.rows / kLine * kLine;
  const auto one_by_one = [&](Index r0, Index r1, Index c0, Index c1) {
    for (Index r = r0; r < r1; ++r)
      for (Index c = c0; c < c1; ++c) t.y[c * t.rows + r] = t.x[r * t.cols + c];
  };
  for (Index c0 = t.first; c0 < t.last; c0 += kTransposeWidth) {
    const Index c1 = t.last - c0 < kTransposeWidth ? t.last : c0 + kTransposeWidth;
    const Index whole = c0 + (c1 - c0) / kLine * kLine;
    for (Index r = 0; r < whole_rows; r += kLine) {
      for (Index c = c0; c < whole; c += kLine)
        transpose_square<past>(t.x + r * t.cols + c, t.cols, t.y + c * t.rows + r, t.rows);
      one_by_one(r, r + kLine, whole, c1);
    }
    one_by_one(whole_rows, t.rows, c0, c1);
  }
}

void transpose(const Transpose& t) {
  if (!t.past) return transpose_columns<false>(t);
  transpose_columns<true>(t);
  end_of_stores_past();
}

}  // namespace
}  // namespace kernsweep::memory_bound
