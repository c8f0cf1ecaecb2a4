#define KERNSWEEP_TILE_KERNELS kTileAvx512
#define KERNSWEEP_TILE_ISA "avx512f"
#define KERNSWEEP_TILE_BYTES 64
#define KERNSWEEP_TILE_POSITIONS 14
#include "kernels/cpu/attention/tile_body.hpp"
