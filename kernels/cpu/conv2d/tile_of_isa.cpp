// The tiles, compiled for each instruction set: of_isa.hpp.
#include "kernels/cpu/conv2d/tile.hpp"
#include "kernels/cpu/libraries/of_isa.hpp"

namespace kernsweep::conv2d {
namespace {

constexpr int kPositions = KERNSWEEP_VECTOR_BYTES == 64 ? 14 : 6;  // pixels per tile
constexpr int kVectorLanes = KERNSWEEP_VECTOR_BYTES / 4;
typedef float Vector __attribute__((vector_size(KERNSWEEP_VECTOR_BYTES)));

// `step` is position_step if it is known at compile time (1: pixels of a row are adjacent), otherwise 0.
template <int positions, int step>
inline void compute(const Tile& tile) {
  Vector sums[positions][2] = {};
  const std::int64_t between = step != 0 ? step : tile.position_step;
  const auto* weights = reinterpret_cast<const Vector*>(tile.weights);
  const float* outer = tile.input;
  for (std::int64_t a = 0; a < tile.loops[0].extent; ++a, outer += tile.loops[0].step) {
    const float* middle = outer;
    for (std::int64_t b = 0; b < tile.loops[1].extent; ++b, middle += tile.loops[1].step) {
      const float* inner = middle;
      for (std::int64_t c = 0; c < tile.loops[2].extent; ++c, inner += tile.loops[2].step, weights += 2) {
        const Vector low = weights[0];
        const Vector high = weights[1];
#pragma GCC unroll 14
        for (int p = 0; p < positions; ++p) {
          const float x = inner[p * between];
          sums[p][0] += x * low;
          sums[p][1] += x * high;
        }
      }
    }
  }
  if (tile.bias != nullptr) {
    const auto* bias = reinterpret_cast<const Vector*>(tile.bias);
#pragma GCC unroll 14
    for (int p = 0; p < positions; ++p) {
      sums[p][0] += bias[0];
      sums[p][1] += bias[1];
    }
  }
  if (tile.relu) {
#pragma GCC unroll 14
    for (int p = 0; p < positions; ++p) {
      sums[p][0] = sums[p][0] < 0 ? Vector{} : sums[p][0];
      sums[p][1] = sums[p][1] < 0 ? Vector{} : sums[p][1];
    }
  }
  auto* results = reinterpret_cast<Vector*>(tile.results);
#pragma GCC unroll 14
  for (int p = 0; p < positions; ++p) {
    results[2 * p] = sums[p][0];
    results[2 * p + 1] = sums[p][1];
  }
}

template <int positions>
void compute_tile(const Tile& tile) {
  if (tile.position_step == 1) {
    compute<positions, 1>(tile);
  } else if (tile.position_step == 2) {
    compute<positions, 2>(tile);
  } else {
    compute<positions, 0>(tile);
  }
}

template <int positions>
constexpr void fill(TileKernels& kernels) {
  kernels.for_positions[positions] = compute_tile<positions>;
  if constexpr (positions > 1) fill<positions - 1>(kernels);
}

constexpr TileKernels make_kernels() {
  TileKernels kernels{KERNSWEEP_ISA, 2 * kVectorLanes, kPositions, {}};
  fill<kPositions>(kernels);
  return kernels;
}

}  // namespace

constinit const TileKernels KERNSWEEP_OF_ISA(kTile) = make_kernels();

}  // namespace kernsweep::conv2d
