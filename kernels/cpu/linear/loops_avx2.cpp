#define KERNSWEEP_LOOPS kLoopsAvx2
#define KERNSWEEP_LOOPS_ISA "avx2"
#define KERNSWEEP_VECTOR_BYTES 32
#include "kernels/cpu/linear/loops_body.hpp"
