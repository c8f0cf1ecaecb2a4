#define KERNSWEEP_LOOPS kLoopsAvx512
#define KERNSWEEP_LOOPS_ISA "avx512f"
#define KERNSWEEP_VECTOR_BYTES 64
#define KERNSWEEP_ROW_VECTORS 8
#define KERNSWEEP_BLOCK_VECTORS 4
#include "kernels/cpu/spmm/loops_body.hpp"
