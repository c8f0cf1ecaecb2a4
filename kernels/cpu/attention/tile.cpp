#include "kernels/cpu/attention/tile.hpp"

#include "kernels/cpu/libraries/isa.hpp"

namespace kernsweep::attention {

const TileKernels* find_tile_kernels(std::string_view isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kTileAvx512, kTileAvx2, kTileBaseline);
}

}  // namespace kernsweep::attention
