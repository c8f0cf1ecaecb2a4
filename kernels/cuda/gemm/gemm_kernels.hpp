// The common arguments of the kernels of gemm_*.cu.
//
// All kernels compute C[b] = op(A[b]) op(B[b]) of a GemmProblem that is not empty. Operands are in device
// memory, aligned to 256 bytes; rows and columns are those of op(A), op(B) and C, whatever the order in
// memory.
#pragma once

#include <cstdint>

#include "shared/base/dtype.hpp"

namespace kernsweep::cuda {

// Element (i, j) of batch b is at b * batch_step + i * row_step + j * column_step. One of the steps is 1.
struct MatrixSteps {
  std::int64_t row_step;
  std::int64_t column_step;
  std::int64_t batch_step;
};

struct GemmArguments {
  const void* a;
  const void* b;
  void* c;
  std::int64_t batch, m, n, k;
  MatrixSteps at_a, at_b, at_c;
  Dtype out;
  // cuda_tiled: a tile has 2^tile_k_log2 products along k, at least 8.
  std::int32_t tile_k_log2;
};

}  // namespace kernsweep::cuda
