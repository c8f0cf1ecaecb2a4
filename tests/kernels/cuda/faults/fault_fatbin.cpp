// The fat binary of faults.cu as data.
#include "kernels/cuda/fatbin_data.hpp"

KERNSWEEP_FATBIN(faults);
