// Points of gemm on a GPU, of each variant those that it multiplies.
#pragma once

#include <vector>

#include "tests/kernels/cuda/points.hpp"

namespace kernsweep::testing {

// Types with all results, orders of memory, batches, leading dimensions, edges of tiles, empty ones.
// Of cuda_naive, cuda_tiled, cuda_wgmma, cublas or cublaslt.
std::vector<CudaPoint> gemm_points(const std::string& variant);

}  // namespace kernsweep::testing
