#include "kernels/cuda/gemm/tiled_kernel.hpp"

using namespace kernsweep::cuda;

KERNSWEEP_GEMM_TILED_ALL(f64, double)
