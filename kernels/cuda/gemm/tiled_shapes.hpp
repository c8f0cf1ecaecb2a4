// The tiles that the variant cuda_tiled is compiled for, and the shared memory that they need.
#pragma once

// X(name, T, tile_m, tile_n, thread_tile) for each.
#define KERNSWEEP_TILED_SHAPES(X, name, T) \
  X(name, T, 32, 32, 4)                    \
  X(name, T, 32, 64, 4)                    \
  X(name, T, 32, 128, 4)                   \
  X(name, T, 64, 32, 4)                    \
  X(name, T, 64, 64, 4)                    \
  X(name, T, 64, 128, 4)                   \
  X(name, T, 128, 32, 4)                   \
  X(name, T, 128, 64, 4)                   \
  X(name, T, 64, 64, 8)                    \
  X(name, T, 64, 128, 8)                   \
  X(name, T, 128, 64, 8)                   \
  X(name, T, 128, 128, 8)

namespace kernsweep::cuda {

// Elements of shared memory for one depth of a tile with this number of lines.
template <int kLines>
inline constexpr int tiled_line = kLines + 4;

}  // namespace kernsweep::cuda
