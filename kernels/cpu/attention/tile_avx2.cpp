#define KERNSWEEP_TILE_KERNELS kTileAvx2
#define KERNSWEEP_TILE_ISA "avx2"
#define KERNSWEEP_TILE_BYTES 32
#define KERNSWEEP_TILE_POSITIONS 6
#include "kernels/cpu/attention/tile_body.hpp"
