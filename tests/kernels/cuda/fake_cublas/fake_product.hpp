// What both fakes share. Internal to them.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <set>
#include <string>

#include "tests/kernels/cuda/fake_cublas/fake_cublas.hpp"
#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cublas {

using fake_cuda::misuse;

// A stored matrix: column-major, rows x columns.
struct Matrix {
  const void* data;
  cudaDataType_t type;
  std::int64_t rows, columns, leading, batch_step;
};

struct Epilogue {
  cublasLtEpilogue_t kind = CUBLASLT_EPILOGUE_DEFAULT;
  const void* bias = nullptr;   // device; as many numbers as C has rows
  std::int32_t bias_type = -1;  // a cudaDataType_t; -1: that of C
};

struct Product {
  cublasOperation_t operation_a, operation_b;
  Matrix a, b, c;
  std::int64_t batch;
  cublasComputeType_t compute;
  cudaDataType_t scale;
  const void *alpha, *beta;
  const float *scale_a = nullptr, *scale_b = nullptr;  // device; of 8-bit floats alone
  Epilogue epilogue = {};
};

struct State {
  Simulation simulation;
  std::string last_call;
  std::set<const void*> things;  // that were made and not destroyed
};
State& state();

bool has_bias(const Epilogue& epilogue);

// Checks all of it and puts the work into the stream.
cublasStatus_t multiply(const Product& product, CUstream stream);

template <class Thing>
Thing* made(Thing* thing) {
  state().things.insert(thing);
  return thing;
}
template <class Thing>
cublasStatus_t destroy(void* thing) {
  if (state().things.erase(thing) == 0) misuse("cuBLAS destroys what it has not made");
  delete static_cast<Thing*>(thing);
  return CUBLAS_STATUS_SUCCESS;
}
template <class Thing>
Thing& known(void* thing) {
  if (state().things.count(thing) == 0) misuse("cuBLAS is given what it has not made, or destroyed");
  return *static_cast<Thing*>(thing);
}

}  // namespace kernsweep::testing::fake_cublas
