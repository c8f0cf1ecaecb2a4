#define KERNSWEEP_LOOPS kLoopsBaseline
#define KERNSWEEP_LOOPS_ISA "baseline"
#define KERNSWEEP_VECTOR_BYTES 16
#define KERNSWEEP_ROW_VECTORS 4
#define KERNSWEEP_BLOCK_VECTORS 2
#include "kernels/cpu/spmm/loops_body.hpp"
