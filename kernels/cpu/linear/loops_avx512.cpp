#define KERNSWEEP_LOOPS kLoopsVnni
#define KERNSWEEP_LOOPS_ISA "avx512_vnni"
#define KERNSWEEP_VECTOR_BYTES 64
#include "kernels/cpu/linear/loops_body.hpp"
