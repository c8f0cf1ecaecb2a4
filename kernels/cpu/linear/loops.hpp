// The loops of this family: quantising, a product of 8-bit numbers, its epilogue. One source, compiled once
// per instruction set with that set's flags. Callers check the processor first (find_loops).
//
// The product takes W in panels of `columns` rows of W, each with `group` neighbours along k together: [k /
// group][columns][group] if `interleaved`, else [k / group][group][columns], with zeros after the last row
// and the last k. x is in bytes, whatever its type: the numbers -128 to 127 plus `flip`, as the
// instructions require; callers subtract what that adds to a sum. All sums are exact.
//
//   avx512_vnni  vpdpbusd: unsigned x signed, 4 products to a sum of 32 bits
//   avx2         vpmaddubsw adds two products in 16 bits, which saturate; |x| and w with the sign of x make
//                them 2 x 128 x 127 at most, which fits
//   baseline     two products in 16 bits by plain vectors, which fits by the same
#pragma once

#include <cstdint>
#include <string_view>

#include "kernels/reference/gemm/epilogue.hpp"

namespace kernsweep::linear {

inline constexpr char kIsaNames[] = "best|avx512_vnni|avx2|baseline";

// A number of x becomes round(x * inverse) + zero, limited to least ... most, with `flip` added as a byte.
struct Quantised {
  float inverse = 1;
  std::int32_t zero = 0, least = -127, most = 127;
  std::int32_t flip = 0;
};

// rows x `columns` sums of `depth` products, a multiple of the group; `depth` numbers of x per row.
struct SumTile {
  std::int64_t rows, depth;
  const std::uint8_t* x;
  std::int64_t x_stride;
  const std::int8_t* panel;
  std::int32_t* sums;  // [rows][columns], aligned to 64 bytes
  bool add;            // whether to add to the existing sums
};

// y[r][c] = act(scales[c] (sums[r][c] - taken_off[c]) + bias[c]), for `columns` columns at most.
struct Finish {
  const std::int32_t* sums;
  std::int64_t sums_stride, rows, columns;
  const float* scales;
  const std::int32_t* taken_off;
  const float* bias;  // null: none
  Activation after;
  float* y;
  std::int64_t y_stride;
};

struct Loops {
  const char* isa;
  std::int64_t columns;
  std::int64_t group;
  bool interleaved;
  std::int32_t flip;
  void (*range)(const float* x, std::int64_t count, float* least, float* most);  // of 0 and x
  void (*quantise)(const float* x, std::int64_t count, const Quantised& as, std::uint8_t* to);
  void (*to_bf16)(const float* x, std::int64_t count, std::uint16_t* to);  // to nearest, ties to even
  void (*multiply)(const SumTile& tile);
  void (*finish)(const Finish& finish);
  // y[c] = act(y[c] + bias[c]).
  void (*finish_row)(float* y, const float* bias, std::int64_t columns, Activation after);
};

extern const Loops kLoopsBaseline;  // for every processor of this architecture
extern const Loops kLoopsAvx2;      // AVX2 and FMA; x86-64 only
extern const Loops kLoopsAvx512;    // AVX-512 F, BW, VL and VNNI; x86-64 only

// The loops by the name of `isa`; "best": of the widest set of this processor. Null if it lacks the set.
const Loops* find_loops(std::string_view isa);

}  // namespace kernsweep::linear
