// The innermost part of `fused`: `lanes` queries with a tile of keys and values, by an online softmax (M.
// Milakov and N. Gimelshein, "Online normalizer calculation for softmax", 2018; T. Dao and others,
// "FlashAttention", 2022).
//
// Vectors contain neighbouring queries. So keys and values are broadcast in place, row by row, and only the
// queries are transposed, once for all keys; and the largest score and the sum of the weights of a query
// need no sum across a vector. Both products are register tiles of two vectors of queries by up to
// `positions` keys, or elements of a head, as in our convolution (kernels/cpu/conv2d/tile.hpp).
//
// Few queries, as when one is decoded, would leave most lanes without work: then vectors contain
// neighbouring elements of a head, each key and value is loaded once for up to four queries, and a score is
// the sum of a vector.
//
// The same source is compiled once per instruction set, with that set's flags. It includes nothing with
// functions that the linker could share with other files. Callers must check the processor first.
#pragma once

#include <cstdint>
#include <string_view>

namespace kernsweep::attention {

// The state of some queries after some keys, with m their largest score: sums = the sum of 2^(score - m) v,
// total = the sum of 2^(score - m). At first largest is the lowest float, and the others are 0.
struct QueryState {
  float* sums;     // in the order of the queries
  float* largest;  // [queries]
  float* total;    // [queries]
};

struct Tile {
  std::int64_t depth;        // elements of a head
  std::int64_t keys;         // of this tile, 1 and more
  std::int64_t rows;         // queries; for attend always `lanes`
  const float* queries;      // attend: [depth][lanes], attend_few: [rows][depth]; a score is the base-2
                             // logarithm of a weight
  const void* k;             // [keys][depth]: floats; for attend_few_bf16 bf16
  const void* v;             // [keys][depth]: the same
  const std::int32_t* seen;  // [rows]: each query sees the keys before that number; null: all of them
  float* scores;             // [rows][keys, rounded up to 16], in any order: for the weights
  QueryState state;          // is updated
};

struct TileKernels {
  const char* isa;
  int lanes;
  void (*attend)(const Tile& tile);  // arrays of floats with lanes are aligned to two vectors
  void (*attend_few)(const Tile& tile);
  void (*attend_few_bf16)(const Tile& tile);
  // For `plain`: row[i] = e^(scale row[i]) / the sum of them, for the first `seen` of `count` elements;
  // zeros for the others. scale > 0.
  void (*softmax)(float* row, std::int64_t seen, std::int64_t count, float scale);
  void (*widen)(const std::uint16_t* from, std::int64_t count, float* to);  // bf16 to f32
};

// For `rows` queries and `keys` of a tile, in floats.
constexpr std::int64_t scores_of(std::int64_t rows, std::int64_t keys) {
  return rows * ((keys + 15) / 16 * 16);
}

extern const TileKernels kTileBaseline;  // for every processor of this architecture
extern const TileKernels kTileAvx2;      // AVX2 and FMA; x86-64 only
extern const TileKernels kTileAvx512;    // AVX-512F; x86-64 only

// The kernels by the name of `isa`; "best" is the widest set of this processor. Null if the processor does
// not have it, or the name is unknown.
const TileKernels* find_tile_kernels(std::string_view isa);

}  // namespace kernsweep::attention
