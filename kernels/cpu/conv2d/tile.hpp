// The innermost part of our direct convolution: `lanes` output channels at up to `positions_max`
// neighbouring pixels of one row of the result, kept in registers over the whole sum.
//
// A product needs one input element, the same for all channels, and one weight per channel, the same for
// all pixels: so inputs are broadcast in place, in any layout and at any stride, and weights are packed so
// that those of `lanes` channels are neighbours. Two vectors of channels by p pixels is the largest shape
// that leaves registers for the operands: p = 14 with the 32 registers of AVX-512, 6 with the 16 of AVX2
// and of SSE2. (14 also divides the rows of ResNets: 112, 56, 28, 14.)
//
// The same source is compiled once per instruction set, with that set's flags. It includes nothing with
// functions that the linker could share with other files. Callers must check the processor first.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernsweep::conv2d {

// One of the nested loops of the sum: number of turns, and distance of their inputs in elements.
struct TileLoop {
  std::int64_t extent;
  std::int64_t step;
};

struct Tile {
  const float* input;           // for the first pixel and the first product
  std::int64_t position_step;   // from one pixel's input to the next's, in elements
  TileLoop loops[3];            // outermost first
  const float* weights;         // [loops 0][loops 1][loops 2][lanes], aligned to 64 bytes
  float* results;               // [positions][lanes], aligned to 64 bytes
  const float* bias = nullptr;  // [lanes], aligned to 64 bytes: added to the sums; null: no bias
  bool relu = false;            // sums below 0 become 0, after the bias
};

using TileFunction = void (*)(const Tile& tile);

inline constexpr int kTilePositionsMax = 14;
inline constexpr int kTileLanesMax = 32;

struct TileKernels {
  const char* isa;
  int lanes;
  int positions_max;
  TileFunction for_positions[kTilePositionsMax + 1];  // [p]: for p pixels; [0] is null
};

extern const TileKernels kTileBaseline;  // for every processor of this architecture
extern const TileKernels kTileAvx2;      // AVX2 and FMA; x86-64 only
extern const TileKernels kTileAvx512;    // AVX-512F; x86-64 only

// The kernels by the name of `isa`; "best" is the widest set of this processor. Null if the processor does
// not have it, or the name is unknown.
const TileKernels* find_tile_kernels(const char* isa);

}  // namespace kernsweep::conv2d
