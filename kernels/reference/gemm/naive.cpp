#include "kernels/reference/gemm/naive.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/libraries/variant.hpp"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep {
namespace {

constexpr std::int64_t kTileRows = 64;
constexpr std::int64_t kTileColumns = 512;

double widen(double value) {
  return value;
}
double widen(float value) {
  return static_cast<double>(value);
}
std::int32_t widen(std::int8_t value) {
  return value;
}

// 16-bit floats are bare bits; the type says which.
struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};
double widen(Bf16 value) {
  return static_cast<double>(float_of_bf16(value.bits));
}
double widen(F16 value) {
  return static_cast<double>(float_of_f16(value.bits));
}

// c[j] += a[p] * tile[p][j], p ascending.
template <class Sum>
[[gnu::always_inline]] inline void add_rows_anywhere(std::int64_t rows, std::int64_t columns,
                                                     const Sum* __restrict a, const Sum* __restrict tile,
                                                     Sum* __restrict c) {
  std::int64_t p = 0;
  for (; p + 4 <= rows; p += 4) {
    const Sum* row = tile + p * kTileColumns;
    for (std::int64_t j = 0; j < columns; ++j)
      c[j] = c[j] + a[p] * row[j] + a[p + 1] * row[j + kTileColumns] +
             a[p + 2] * row[j + 2 * kTileColumns] + a[p + 3] * row[j + 3 * kTileColumns];
  }
  for (; p < rows; ++p)
    for (std::int64_t j = 0; j < columns; ++j) c[j] += a[p] * tile[p * kTileColumns + j];
}

#if defined(__x86_64__)
template <class Sum>
[[gnu::target("avx2,fma")]] void add_rows_avx2(std::int64_t rows, std::int64_t columns, const Sum* a,
                                               const Sum* tile, Sum* c) {
  add_rows_anywhere(rows, columns, a, tile, c);
}
#endif

template <class Sum>
void add_rows(std::int64_t rows, std::int64_t columns, const Sum* a, const Sum* tile, Sum* c) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return add_rows_avx2(rows, columns, a, tile, c);
#endif
  add_rows_anywhere(rows, columns, a, tile, c);
}

template <class Element, class Sum>
void multiply(const GemmProblem& problem, const void* a_data, const void* b_data, void* c_data) {
  const MatrixLayout at_a = problem.op_a();
  const MatrixLayout at_b = problem.op_b();
  std::vector<Sum> tile(static_cast<std::size_t>(kTileRows * kTileColumns));
  Sum a_row[kTileRows];
  for (std::int64_t batch = 0; batch < problem.batch; ++batch) {
    const Element* a = static_cast<const Element*>(a_data) + batch * at_a.batch_stride;
    const Element* b = static_cast<const Element*>(b_data) + batch * at_b.batch_stride;
    Sum* c = static_cast<Sum*>(c_data) + batch * problem.m * problem.n;
    std::fill_n(c, problem.m * problem.n, Sum{0});
    for (std::int64_t j = 0; j < problem.n; j += kTileColumns) {
      const std::int64_t columns = std::min(kTileColumns, problem.n - j);
      for (std::int64_t p = 0; p < problem.k; p += kTileRows) {
        const std::int64_t rows = std::min(kTileRows, problem.k - p);
        for (std::int64_t row = 0; row < rows; ++row)
          for (std::int64_t column = 0; column < columns; ++column)
            tile[static_cast<std::size_t>(row * kTileColumns + column)] =
                widen(b[(p + row) * at_b.row_stride + (j + column) * at_b.column_stride]);
        for (std::int64_t i = 0; i < problem.m; ++i) {
          for (std::int64_t row = 0; row < rows; ++row)
            a_row[row] = widen(a[i * at_a.row_stride + (p + row) * at_a.column_stride]);
          add_rows(rows, columns, a_row, tile.data(), c + i * problem.n + j);
        }
      }
    }
  }
}

class Naive {
 public:
  static ks_status can_run(const ks_params* params, ks_why why) {
    GemmProblem problem;
    return read_gemm(params, problem, why);
  }

  static ks_status prepare(const ks_params* params, const ks_context& context, const ks_tensor* inputs,
                           std::unique_ptr<Naive>& made, ks_why why) {
    auto kernel = std::make_unique<Naive>();
    if (const ks_status status = read_gemm(params, kernel->problem_, why); status != KS_OK) return status;
    kernel->a_ = inputs[0].data;
    kernel->b_ = inputs[1].data;
    GemmProblem exact = kernel->problem_;
    exact.out = exact.dtype == Dtype::s8 ? Dtype::s32 : Dtype::f64;
    exact.ldc = exact.n;
    if (const ks_status status = kernel->c_.allocate(exact, context, why); status != KS_OK) return status;
    made = std::move(kernel);
    return KS_OK;
  }

  ks_status run() {
    if (problem_.is_empty()) return KS_OK;
    switch (problem_.dtype) {
      case Dtype::f64:
        multiply<double, double>(problem_, a_, b_, c_.data());
        return KS_OK;
      case Dtype::f32:
        multiply<float, double>(problem_, a_, b_, c_.data());
        return KS_OK;
      case Dtype::bf16:
        multiply<Bf16, double>(problem_, a_, b_, c_.data());
        return KS_OK;
      case Dtype::f16:
        multiply<F16, double>(problem_, a_, b_, c_.data());
        return KS_OK;
      case Dtype::s8:
        multiply<std::int8_t, std::int32_t>(problem_, a_, b_, c_.data());
        return KS_OK;
      default:
        return KS_FAILED;
    }
  }

  ks_status output(ks_tensor& out) {
    c_.view(out);
    return KS_OK;
  }

  const char* runtime() const { return "triple loop in double, threads=1"; }

 private:
  GemmProblem problem_;
  const void* a_ = nullptr;
  const void* b_ = nullptr;
  GemmOutput c_;
};

}  // namespace

const ks_variant kGemmNaive = make_variant<Naive>(
    "naive", "the reference: the triple loop in double (s8: exact integers), one thread, every dtype");

}  // namespace kernsweep
