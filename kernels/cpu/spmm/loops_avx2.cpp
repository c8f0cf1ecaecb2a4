#define KERNSWEEP_LOOPS kLoopsAvx2
#define KERNSWEEP_LOOPS_ISA "avx2"
#define KERNSWEEP_VECTOR_BYTES 32
#define KERNSWEEP_ROW_VECTORS 4
#define KERNSWEEP_BLOCK_VECTORS 2
#include "kernels/cpu/spmm/loops_body.hpp"
