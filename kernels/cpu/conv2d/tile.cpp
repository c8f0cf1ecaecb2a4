#include "kernels/cpu/conv2d/tile.hpp"

#include "kernels/cpu/libraries/isa.hpp"

namespace kernsweep::conv2d {

const TileKernels* find_tile_kernels(const char* isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kTileAvx512, kTileAvx2, kTileBaseline);
}

}  // namespace kernsweep::conv2d
