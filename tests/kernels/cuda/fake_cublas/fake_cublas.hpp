// cuBLAS and cuBLASLt without a GPU: libraries of the names that the pack opens, which multiply the device
// memory of the fake driver.
//
// They are strict as the fake driver is: a handle that is none, a leading dimension that is too short, a
// matrix or a bias that is not in one allocation, factors other than 1 and 0, an algorithm that the
// heuristic has not named, end the program with a reason. Products are column-major, by the definition in
// NVIDIA's "cuBLAS": C = epilogue(op(A) op(B) + bias), element (i, j) of a stored matrix at i + j ld, the
// bias one number for each row. What the real ones do not support is answered with
// CUBLAS_STATUS_NOT_SUPPORTED.
#pragma once

#include <string>

namespace kernsweep::testing::fake_cublas {

struct Simulation {
  int create_status = 0;    // of cublasCreate and cublasLtCreate: a cublasStatus_t
  int multiply_status = 0;  // of every product, but for the first `good_products`
  int good_products = 0;
  bool breaks_context = false;  // by the product that first has that status, when its stream comes to it
  int algorithms = 3;           // that the heuristic knows
};
void start(const Simulation& simulation = {});

// Calls since `start`, in words: "GemmEx", "GemmStridedBatchedEx", "LtMatmul 41".
std::string last_call();

// Handles and descriptions that were not destroyed.
int left_over();

}  // namespace kernsweep::testing::fake_cublas
