// One matrix product, C[b] = act(op(A[b]) op(B[b]) + bias), as all variants of the family read it from a
// point's parameters.
//
// Row-major. op(A) is m x k, op(B) is k x n, C is m x n. With trans_a = t, A is stored k x m. A leading
// dimension is the distance between stored rows in elements; elements between the rows must be neither read
// nor written. Batches follow each other without a gap. act and bias are the epilogue (epilogue.hpp); by
// default there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.hpp"
#include "kernels/reference/gemm/epilogue.hpp"
#include "shared/base/dtype.hpp"

namespace kernsweep {

// Position of element (row, column) in an operand of one batch: row * row_stride + column * column_stride.
struct MatrixLayout {
  std::int64_t row_stride;
  std::int64_t column_stride;
  std::int64_t batch_stride;
};

struct GemmProblem {
  std::int64_t batch = 1, m = 0, n = 0, k = 0;
  bool trans_a = false, trans_b = false;
  std::int64_t lda = 0, ldb = 0, ldc = 0;  // never below the row length; `check` replaces 0
  std::string type = "f32", result_type, activation = "none";  // as the sweep names them
  // Derived from these:
  Dtype dtype = Dtype::f32;  // of the elements of A and B
  bool tf32 = false;         // f32 whose arithmetic may keep only 10 bits of fraction
  Dtype out = Dtype::f32;
  Epilogue epilogue;

  static std::vector<pack::Param<GemmProblem>> params();
  // Refused: KS_BAD_PARAMETER for a problem that no variant can do, KS_UNSUPPORTED for s8 products whose
  // exact result might not fit s32 (k above 131071: 2^31 / 128^2, less one), and for gelu of s8, whose
  // results are whole numbers.
  void check();
  std::vector<pack::Input> inputs() const;
  ks_work work() const;
  ks_tolerance tolerance() const;

  std::int64_t stored_rows_a() const { return trans_a ? k : m; }
  std::int64_t stored_rows_b() const { return trans_b ? n : k; }
  MatrixLayout op_a() const;  // of op(A), m x k
  MatrixLayout op_b() const;  // of op(B), k x n
  bool is_empty() const { return batch == 0 || m == 0 || n == 0; }
  // Type of the bias: that of C, but bf16 for f8 with C in f32, because cuBLASLt supports no other
  // ("cuBLAS", 13.0, section 3.4.17, table of FP8 kernels).
  Dtype bias_dtype() const;
  // The name of the point's dtype: "tf32" or the name of the element type.
  std::string_view dtype_name() const { return tf32 ? "tf32" : name_of(dtype); }
};

// The result's memory: batch x m rows of ldc elements.
class GemmOutput {
 public:
  GemmOutput(const GemmProblem& problem, pack::Setup& setup);  // throws Refused without memory
  void* data() const { return memory_.data(); }
  ks_tensor view(const GemmProblem& problem) const { return view_of(problem, memory_.data()); }
  // The view of a result in other memory.
  static ks_tensor view_of(const GemmProblem& problem, const void* data);

 private:
  std::span<std::byte> memory_;
};

pack::Variant gemm_naive();  // the reference, see naive.cpp

// The family with these variants and the reference.
template <class... Variants>
pack::Family gemm_family_of(const Variants&... variants) {
  return pack::family<GemmProblem>("gemm", "matrix product: C[b] = act(op(A[b]) op(B[b]) + bias)",
                                   {.reference = "naive", .constants = "b|bias"},  // weights of a layer
                                   variants..., gemm_naive());
}

}  // namespace kernsweep
