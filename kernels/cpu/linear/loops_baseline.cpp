#define KERNSWEEP_LOOPS kLoopsBaseline
#define KERNSWEEP_LOOPS_ISA "baseline"
#define KERNSWEEP_VECTOR_BYTES 16
#include "kernels/cpu/linear/loops_body.hpp"
