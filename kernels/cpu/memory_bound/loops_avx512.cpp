#define KERNSWEEP_LOOPS kLoopsAvx512
#define KERNSWEEP_LOOPS_ISA "avx512f"
#define KERNSWEEP_VECTOR_BYTES 64
#include "kernels/cpu/memory_bound/loops_body.hpp"
