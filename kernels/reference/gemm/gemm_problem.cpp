#include "kernels/reference/gemm/gemm_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {
namespace {

constexpr std::int64_t kExactS8DepthMax = 131071;

// Replaces 0 by the length of a row.
void read_leading(const char* name, std::int64_t row_length, std::int64_t& leading) {
  if (leading == 0) leading = row_length;
  if (leading < row_length)
    throw pack::Refused(
        KS_BAD_PARAMETER,
        fmt::format("{} is {}, less than the row length {}; 0 means dense", name, leading, row_length));
}

// Whether batch * rows * leading elements of any type, in bytes, fit 63 bits.
bool is_addressable(std::int64_t batch, std::int64_t rows, std::int64_t leading) {
  std::int64_t bytes = 8;
  batch = std::max<std::int64_t>(batch, 1);  // strides are computed for empty operands too
  rows = std::max<std::int64_t>(rows, 1);
  return !__builtin_mul_overflow(bytes, batch, &bytes) && !__builtin_mul_overflow(bytes, rows, &bytes) &&
         !__builtin_mul_overflow(bytes, leading, &bytes);
}

// The possible types of results, the default first.
std::vector<Dtype> results_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::bf16:
    case Dtype::f16:
      return {dtype, Dtype::f32};
    case Dtype::f8e4m3:
    case Dtype::f8e5m2:
      return {Dtype::f32, Dtype::bf16, Dtype::f16};
    case Dtype::s8:
      return {Dtype::s32};
    default:
      return {dtype};
  }
}

void read_types(GemmProblem& problem) {
  problem.tf32 = problem.type == "tf32";
  problem.dtype = dtype_named(problem.type).value_or(Dtype::f32);
  const std::vector<Dtype> results = results_of(problem.dtype);
  problem.out = dtype_named(problem.result_type).value_or(results.front());
  if (std::find(results.begin(), results.end(), problem.out) != results.end()) return;
  std::string names;
  for (const Dtype each : results) names += (names.empty() ? "" : " or ") + std::string(name_of(each));
  throw pack::Refused(KS_BAD_PARAMETER, fmt::format("out is {} for dtype {}; it must be {}",
                                                    name_of(problem.out), problem.dtype_name(), names));
}

// Unit roundoff: half the distance from 1 to the next number.
double roundoff(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return 0x1p-53;
    case Dtype::bf16:
      return 0x1p-8;
    case Dtype::f16:
      return 0x1p-11;
    default:
      return 0x1p-24;
  }
}

// The error of the products themselves, relative to the largest result. Errors of different products are
// independent, so the error of a sum of mean zero grows with sqrt(k), as the sum itself, and k cancels.
//
// tf32: an operand keeps 10 bits of fraction. Its error is at most 2^-11 if it is rounded to nearest; if it
// is truncated, as when a kernel passes f32 unchanged, at most 2^-10, and 0.35 2^-10 on average over
// uniform fractions. A product of two truncated operands is then 0.7 2^-10 too small on average, and so is
// every sum; the rest of the errors is independent, with a deviation of 0.55 2^-11 of a product. The
// largest of many such sums (5.5 deviations) relative to the largest of few results (3.5) is 0.45 2^-10.
// The total is 1.15 2^-10; no sum of equal signs can exceed 2^-9.
//
// f8: products are exact in f32, but Hopper's tensor cores add 32 at a time as fixed-point numbers with 13
// bits below the largest of them, and truncate the rest (F. A. Khattak and M. Mikaitis, "Accurate Models of
// NVIDIA Tensor Cores", 2025); libraries therefore move sums to f32 registers every 128 products
// (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, section 3.3.2; cuBLAS unless
// CUBLASLT_MATMUL_DESC_FAST_ACCUM is set). For uniform and normal numbers the error is then 2^-11.7 of the
// largest result at k = 128, where the whole sum is truncated, and 2^-13 from k = 1024 on, where the parts'
// own errors are independent. If sums are never moved, the error is 2^-9 at k = 4096 and grows with k; such
// a variant passes only with a tolerance that the sweep sets.
//
// bf16, f16: products are exact, but tensor cores truncate what they add to a sum, 8 products at a time
// (compute capability 8) or 16 (9), to f32 where processors round (H. Ootomo and R. Yokota, "Recovering
// single precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance",
// 2022). These errors have one sign, so they grow with k, not with sqrt(k). By that model, the error of
// sums of uniform numbers is 0.04 to 0.05 k 2^-24 of the largest result.
double shortened_products(const GemmProblem& problem) {
  if (problem.tf32) return 0x1p-9;
  if (problem.dtype == Dtype::bf16 || problem.dtype == Dtype::f16)
    return static_cast<double>(problem.k) / 8 * 0x1p-24;
  return is_8bit_float(problem.dtype) ? 0x1p-10 : 0;
}

// The error that gelu(x) = x / 2 (1 + tanh(...)) itself may have, relative to x. Its tanh may be the
// instruction of NVIDIA's GPUs, with an error of up to 2^-11 ("PTX ISA", tanh.approx.f32); what cuBLASLt
// uses is not documented. f64: the roundings of a few operations.
double evaluated_gelu(const GemmProblem& problem) {
  return problem.dtype == Dtype::f64 ? 4 * roundoff(Dtype::f64) : 0x1p-12;
}

// Small whole numbers for s8, otherwise uniform in [-magnitude, magnitude).
pack::Input elements(const char* name, const GemmProblem& problem, Dtype dtype,
                     const std::vector<std::int64_t>& shape, double magnitude) {
  // Processors without VNNI add pairs of products in 16 bits, which saturate on larger numbers (oneDNN,
  // "Nuances of int8 computations").
  if (problem.dtype == Dtype::s8) return {name, ks_dtype_of(dtype), shape, KS_INTEGERS, -8, 8};
  return {name, ks_dtype_of(dtype), shape, KS_UNIFORM, -magnitude, magnitude};
}

}  // namespace

MatrixLayout GemmProblem::op_a() const {
  return {trans_a ? 1 : lda, trans_a ? lda : 1, stored_rows_a() * lda};
}

MatrixLayout GemmProblem::op_b() const {
  return {trans_b ? 1 : ldb, trans_b ? ldb : 1, stored_rows_b() * ldb};
}

Dtype GemmProblem::bias_dtype() const {
  return is_8bit_float(dtype) && out == Dtype::f32 ? Dtype::bf16 : out;
}

std::vector<pack::Param<GemmProblem>> GemmProblem::params() {
  using pack::param;
  using Problem = GemmProblem;
  return {
      param<&Problem::batch>(
          {.name = "batch", .summary = "independent products", .fallback = "1", .least = 0}),
      param<&Problem::m>({.name = "m", .summary = "rows of op(A) and C", .least = 0}),
      param<&Problem::n>({.name = "n", .summary = "columns of op(B) and C", .least = 0}),
      param<&Problem::k>({.name = "k", .summary = "columns of op(A), rows of op(B)", .least = 0}),
      param<&Problem::type>(
          {.name = "dtype",
           .summary =
               "element type of A and B; tf32: f32, but the arithmetic may keep only 10 bits of fraction",
           .fallback = "f32",
           .choices = "f32|f64|tf32|bf16|f16|f8e4m3|f8e5m2|s8"}),
      param<&Problem::result_type>(
          {.name = "out",
           .summary = "element type of C; by default like dtype, f32 for tf32, f8e4m3, f8e5m2, s32 for s8",
           .fallback = "",
           .choices = "f32|f64|bf16|f16|s32"}),
      param<&Problem::activation>(
          {.name = "epilogue",
           .summary = "what follows the sums: a bias for each column of C, then relu or gelu (by tanh)",
           .fallback = "none",
           .choices = kEpilogueNames}),
      param<&Problem::trans_a>({.name = "trans_a",
                                .summary = "n: A is stored m x k; t: k x m",
                                .fallback = "n",
                                .choices = "n|t"}),
      param<&Problem::trans_b>({.name = "trans_b",
                                .summary = "n: B is stored k x n; t: n x k",
                                .fallback = "n",
                                .choices = "n|t"}),
      param<&Problem::lda>({.name = "lda",
                            .summary = "elements between stored rows of A; 0: dense",
                            .fallback = "0",
                            .least = 0}),
      param<&Problem::ldb>({.name = "ldb",
                            .summary = "elements between stored rows of B; 0: dense",
                            .fallback = "0",
                            .least = 0}),
      param<&Problem::ldc>(
          {.name = "ldc", .summary = "elements between rows of C; 0: dense", .fallback = "0", .least = 0})};
}

void GemmProblem::check() {
  read_leading("lda", trans_a ? m : k, lda);
  read_leading("ldb", trans_b ? k : n, ldb);
  read_leading("ldc", n, ldc);
  if (!is_addressable(batch, stored_rows_a(), lda) || !is_addressable(batch, stored_rows_b(), ldb) ||
      !is_addressable(batch, m, ldc))
    throw pack::Refused(KS_BAD_PARAMETER,
                        "an operand would have more than 2^63 bytes; choose smaller sizes");
  read_types(*this);
  if (dtype == Dtype::s8 && k > kExactS8DepthMax)
    throw pack::Refused(
        KS_UNSUPPORTED,
        fmt::format("k is {}; sums of more than {} products of s8 may not fit s32", k, kExactS8DepthMax));
  epilogue = epilogue_named(activation);
  if (dtype == Dtype::s8 && epilogue.activation == Activation::gelu)
    throw pack::Refused(
        KS_UNSUPPORTED,
        fmt::format("epilogue is {} for dtype s8, whose results are whole numbers; it must be none, "
                    "bias, relu or bias_relu",
                    name_of(epilogue)));
}

std::vector<pack::Input> GemmProblem::inputs() const {
  std::vector<pack::Input> made{elements("a", *this, dtype, {batch, stored_rows_a(), lda}, 1),
                                elements("b", *this, dtype, {batch, stored_rows_b(), ldb}, 1)};
  // About as large as the sums of k products that it is added to: the rounding of long sums to bf16 could
  // hide that a smaller bias is missing.
  if (epilogue.has_bias)
    made.push_back(elements("bias", *this, bias_dtype(), {n},
                            std::sqrt(static_cast<double>(std::max<std::int64_t>(k, 1)))));
  return made;
}

ks_work GemmProblem::work() const {
  const auto count = [](std::int64_t number) { return static_cast<double>(number); };
  const auto bytes = [](Dtype of) { return static_cast<double>(size_of(of)); };
  ks_work made{.flops = 2 * count(batch) * count(m) * count(n) * count(k),
               .bytes = count(batch) * ((count(m) * count(k) + count(k) * count(n)) * bytes(dtype) +
                                        count(m) * count(n) * bytes(out))};
  if (epilogue.has_bias) made.bytes += count(n) * bytes(bias_dtype());
  return made;
}

namespace {

// A sum of k products has an error of at most gamma_k |A||B|, gamma_k = k u / (1 - k u) (Higham 2002,
// section 3.1). Real data does not reach that bound; rounding errors are almost independent, and sqrt(k)
// replaces k (Higham and Mary 2019, theorem 2.4). With data of mean zero the error's deviation is about 0.1
// sqrt(k) u of the largest result, with data of one sign about 0.3 sqrt(k) u: errors almost never reach 4
// sqrt(k) u, which is still far below the error of one missing product. bf16, f16, f8: sums are kept in
// f32, then the result is rounded once. f64: the reference has the same error itself. Few results may all
// be near zero by cancellation, and then do not show the size of the sums: there k u is added, for operands
// of magnitude 1.
//
// Products on tensor cores have an additional error, see shortened_products.
//
// Errors of a row are proportional to that row of A, so each row has its own scale. The largest of at least
// 16 results of a row is almost certainly not small by cancellation: with probability 2e-7 all are below
// half a deviation, and even then the errors are within 4 sqrt(k) u of it. bf16 and f16, whose sums tensor
// cores truncate, need 64 results: the largest of them is about half of the largest of the whole output, as
// much as the allowance for truncation permits. Shorter rows, rows after an activation, tf32 and f8 have
// the scale of the whole output.
//
// A bias is one more term of the sum. relu makes no error larger. gelu has a slope of at most 1.13,
// increases errors by that much, and has an error of its own, see evaluated_gelu. Both may leave only
// results near or below zero: these do not show the size of sums, however many there are. Small rows may be
// where the numbers of a type lose relative precision: the limit is the distance of the subnormal numbers
// of f16, and for the others the smallest normal number for each term, because libraries may treat
// subnormal operands and sums as zero.
double smallest_of_rows(const GemmProblem& problem) {
  if (problem.dtype == Dtype::f64) return static_cast<double>(problem.k + 1) * 0x1p-1022;
  const double sums = static_cast<double>(problem.k + 1) * 0x1p-126;
  return problem.out == Dtype::f16 ? sums + 0x1p-24 : sums;
}

}  // namespace

ks_tolerance GemmProblem::tolerance() const {
  ks_tolerance allowed{};
  if (dtype == Dtype::s8) return allowed;
  const std::int64_t terms = k + (epilogue.has_bias ? 1 : 0);
  const auto depth = static_cast<double>(std::max<std::int64_t>(terms, 1));
  const double u = dtype == Dtype::f64 ? 2 * roundoff(Dtype::f64) : roundoff(Dtype::f32);
  const double shortened = shortened_products(*this);
  const bool is_gelu = epilogue.activation == Activation::gelu;
  const double slope = is_gelu ? 1.13 : 1;
  const double evaluated = is_gelu ? evaluated_gelu(*this) : 0;
  allowed.relative = slope * (4 * std::sqrt(depth) * u + shortened) + evaluated;
  const bool is_rounded_after = out == Dtype::bf16 || out == Dtype::f16;
  if (is_rounded_after) allowed.relative += 1.01 * roundoff(out);
  constexpr double kFewResults = 256;
  const bool has_few_results =
      static_cast<double>(batch) * static_cast<double>(m) * static_cast<double>(n) < kFewResults;
  const bool is_activated = epilogue.activation != Activation::none;
  const bool is_coarse = tf32 || is_8bit_float(dtype);
  const std::int64_t few_of_row = shortened > 0 ? 64 : 16;
  if (!has_few_results && !is_activated && !is_coarse && n >= few_of_row) {
    allowed.scale_dims = 1;
    allowed.absolute = smallest_of_rows(*this);
  }
  if (has_few_results || is_activated)
    allowed.absolute =
        slope * (depth * u + std::sqrt(depth) * shortened) + 2 * std::sqrt(depth) * evaluated;
  return allowed;
}

GemmOutput::GemmOutput(const GemmProblem& problem, pack::Setup& setup)
    : memory_(setup.allocate<std::byte>(static_cast<std::size_t>(problem.batch * problem.m * problem.ldc) *
                                        size_of(problem.out))) {}

ks_tensor GemmOutput::view_of(const GemmProblem& problem, const void* data) {
  ks_tensor out = pack::dense(data, ks_dtype_of(problem.out), {problem.batch, problem.m, problem.n});
  out.strides[0] = problem.m * problem.ldc;
  out.strides[1] = problem.ldc;
  return out;
}

}  // namespace kernsweep
