#define KERNSWEEP_TILE_KERNELS kTileBaseline
#define KERNSWEEP_TILE_ISA "baseline"
#define KERNSWEEP_TILE_BYTES 16
#define KERNSWEEP_TILE_POSITIONS 6
#include "kernels/cpu/attention/tile_body.hpp"
