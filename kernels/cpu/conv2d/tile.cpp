#include "kernels/cpu/conv2d/tile.hpp"

#include "kernels/cpu/libraries/isa.hpp"

namespace kernsweep::conv2d {

const TileKernels* find_tile_kernels(const char* isa) {
#if defined(__x86_64__)
  return kernels_for(isa, &kTileAvx512, &kTileAvx2, &kTileBaseline);
#else
  return kernels_for<TileKernels>(isa, nullptr, nullptr, &kTileBaseline);
#endif
}

}  // namespace kernsweep::conv2d
