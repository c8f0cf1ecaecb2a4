#include "kernels/reference/gemm/gemm_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep {
namespace {

constexpr std::array kGemmParams = {
    ks_param_doc{"batch", KS_INTEGER, "1", nullptr, "independent products"},
    ks_param_doc{"m", KS_INTEGER, nullptr, nullptr, "rows of op(A) and C"},
    ks_param_doc{"n", KS_INTEGER, nullptr, nullptr, "columns of op(B) and C"},
    ks_param_doc{"k", KS_INTEGER, nullptr, nullptr, "columns of op(A), rows of op(B)"},
    ks_param_doc{
        "dtype", KS_TEXT, "f32", "f32|f64|tf32|bf16|f16|f8e4m3|f8e5m2|s8",
        "element type of A and B; tf32: f32, of which the arithmetic may keep 10 bits of fraction"},
    ks_param_doc{"out", KS_TEXT, "", "f32|f64|bf16|f16|s32",
                 "element type of C; by default like dtype, f32 for tf32, f8e4m3, f8e5m2, s32 for s8"},
    ks_param_doc{"epilogue", KS_TEXT, "none", kEpilogueNames,
                 "what follows the sums: a bias for each column of C, then relu or gelu (by tanh)"},
    ks_param_doc{"trans_a", KS_TEXT, "n", "n|t", "n: A is stored m x k; t: k x m"},
    ks_param_doc{"trans_b", KS_TEXT, "n", "n|t", "n: B is stored k x n; t: n x k"},
    ks_param_doc{"lda", KS_INTEGER, "0", nullptr, "elements between stored rows of A; 0: dense"},
    ks_param_doc{"ldb", KS_INTEGER, "0", nullptr, "elements between stored rows of B; 0: dense"},
    ks_param_doc{"ldc", KS_INTEGER, "0", nullptr, "elements between rows of C; 0: dense"},
};

constexpr std::int64_t kExactS8DepthMax = 131071;

ks_status read_size(const Params& params, const char* name, std::int64_t fallback, std::int64_t& size,
                    ks_why why) {
  size = params.integer(name, fallback);
  if (size >= 0) return KS_OK;
  return refuse(KS_BAD_PARAMETER, why, fmt::format("{} is {}; it must not be negative", name, size));
}

ks_status read_leading(const Params& params, const char* name, std::int64_t row_length,
                       std::int64_t& leading, ks_why why) {
  if (const ks_status status = read_size(params, name, 0, leading, why); status != KS_OK) return status;
  if (leading == 0) leading = row_length;
  if (leading >= row_length) return KS_OK;
  return refuse(
      KS_BAD_PARAMETER, why,
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

ks_status read_epilogue(const Params& params, GemmProblem& problem, ks_why why) {
  problem.epilogue = epilogue_named(params.text("epilogue", "none"));
  if (problem.dtype != Dtype::s8 || problem.epilogue.activation != Activation::gelu) return KS_OK;
  return refuse(
      KS_UNSUPPORTED, why,
      fmt::format("epilogue is {} for dtype s8, whose results are whole numbers; it must be none, "
                  "bias, relu or bias_relu",
                  name_of(problem.epilogue)));
}

ks_status read_types(const Params& params, GemmProblem& problem, ks_why why) {
  const std::string_view name = params.text("dtype", "f32");
  problem.tf32 = name == "tf32";
  problem.dtype = dtype_named(name).value_or(Dtype::f32);
  const std::vector<Dtype> results = results_of(problem.dtype);
  problem.out = dtype_named(params.text("out", "")).value_or(results.front());
  if (std::find(results.begin(), results.end(), problem.out) != results.end()) return KS_OK;
  std::string names;
  for (const Dtype each : results) names += (names.empty() ? "" : " or ") + std::string(name_of(each));
  return refuse(KS_BAD_PARAMETER, why,
                fmt::format("out is {} for dtype {}; it must be {}", name_of(problem.out),
                            problem.dtype_name(), names));
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

// The error of the products themselves, as a share of the largest result. Errors of different products are
// independent, so that of a sum of mean zero grows with sqrt(k), as the sum itself, and k cancels.
//
// tf32: an operand keeps 10 bits of fraction. Rounded to nearest it is up to 2^-11 off; cut off, as when a
// kernel hands f32 over as they are, up to 2^-10, and 0.35 2^-10 on average over uniform fractions. A
// product of two operands that are cut off is then 0.7 2^-10 too small on average, and so is every sum;
// what is left of the errors is independent, with a deviation of 0.55 2^-11 of a product. The largest of
// many such sums (5.5 deviations) beside the largest of few results (3.5) is 0.45 2^-10. Together 1.15
// 2^-10; 2^-9 is what no sum of equal signs can exceed.
//
// f8: products are exact in f32, but Hopper's tensor cores add 32 at a time as fixed-point numbers with 13
// bits below the largest of them, and cut off the rest (F. A. Khattak and M. Mikaitis, "Accurate Models of
// NVIDIA Tensor Cores", 2025); libraries therefore move sums to f32 registers every 128 products
// (DeepSeek-AI, "DeepSeek-V3 Technical Report", 2024, section 3.3.2; cuBLAS unless
// CUBLASLT_MATMUL_DESC_FAST_ACCUM is set). Uniform and normal numbers that are added so come 2^-11.7 of the
// largest result off at k = 128, where all of a sum is cut, and 2^-13 from k = 1024 on, where the parts'
// own errors are independent. Where sums are never moved they are 2^-9 off at k = 4096 and grow on; such a
// variant is right only by a tolerance that the sweep gives.
//
// bf16, f16: products are exact, but what tensor cores add to a sum, 8 products at a time (compute
// capability 8) or 16 (9), they cut off to f32 where processors round (H. Ootomo and R. Yokota, "Recovering
// single precision accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance",
// 2022): errors of one sign, which grow with k, and not with its root. By that model, sums of uniform
// numbers are 0.04 to 0.05 k 2^-24 of the largest result off.
double shortened_products(const GemmProblem& problem) {
  if (problem.tf32) return 0x1p-9;
  if (problem.dtype == Dtype::bf16 || problem.dtype == Dtype::f16)
    return static_cast<double>(problem.k) / 8 * 0x1p-24;
  return is_8bit_float(problem.dtype) ? 0x1p-10 : 0;
}

// The error that gelu(x) = x / 2 (1 + tanh(...)) itself may have, as a share of x. Its tanh may be the
// instruction of NVIDIA's GPUs, which is up to 2^-11 off ("PTX ISA", tanh.approx.f32); what cuBLASLt takes
// is not documented. f64: the roundings of a few operations.
double evaluated_gelu(const GemmProblem& problem) {
  return problem.dtype == Dtype::f64 ? 4 * roundoff(Dtype::f64) : 0x1p-12;
}

// Small whole numbers for s8, otherwise uniform in [-magnitude, magnitude).
void describe_elements(ks_input& input, std::string_view name, const GemmProblem& problem, Dtype dtype,
                       double magnitude) {
  input = ks_input{};
  std::memcpy(input.name, name.data(), name.size());
  input.dtype = ks_dtype_of(dtype);
  // Processors without VNNI add pairs of products in 16 bits, which saturate on larger numbers (oneDNN,
  // "Nuances of int8 computations").
  const bool whole = problem.dtype == Dtype::s8;
  input.distribution = whole ? KS_INTEGERS : KS_UNIFORM;
  input.a = whole ? -8 : -magnitude;
  input.b = whole ? 8 : magnitude;
}

void describe_matrix(ks_input& input, std::string_view name, const GemmProblem& problem, std::int64_t rows,
                     std::int64_t leading) {
  describe_elements(input, name, problem, problem.dtype, 1);
  input.rank = 3;
  input.shape[0] = problem.batch;
  input.shape[1] = rows;
  input.shape[2] = leading;
}

// About as large as the sums of k products that it is added to: the rounding of long sums to bf16 could
// hide the lack of a smaller bias.
void describe_bias(ks_input& input, const GemmProblem& problem) {
  const auto depth = static_cast<double>(std::max<std::int64_t>(problem.k, 1));
  describe_elements(input, "bias", problem, problem.bias_dtype(), std::sqrt(depth));
  input.rank = 1;
  input.shape[0] = problem.n;
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

ks_status read_gemm(const ks_params* given, GemmProblem& problem, ks_why why) {
  const Params params(given);
  if (const ks_status status = params.check(kGemmParams.data(), kGemmParams.size(), why); status != KS_OK)
    return status;
  for (const auto& [name, size] : {std::pair{"batch", &problem.batch}, std::pair{"m", &problem.m},
                                   std::pair{"n", &problem.n}, std::pair{"k", &problem.k}})
    if (const ks_status status = read_size(params, name, 1, *size, why); status != KS_OK) return status;
  problem.trans_a = std::string_view(params.text("trans_a", "n")) == "t";
  problem.trans_b = std::string_view(params.text("trans_b", "n")) == "t";
  const std::int64_t row_a = problem.trans_a ? problem.m : problem.k;
  const std::int64_t row_b = problem.trans_b ? problem.k : problem.n;
  for (const auto& [name, row, leading] :
       {std::tuple{"lda", row_a, &problem.lda}, std::tuple{"ldb", row_b, &problem.ldb},
        std::tuple{"ldc", problem.n, &problem.ldc}})
    if (const ks_status status = read_leading(params, name, row, *leading, why); status != KS_OK)
      return status;
  if (!is_addressable(problem.batch, problem.stored_rows_a(), problem.lda) ||
      !is_addressable(problem.batch, problem.stored_rows_b(), problem.ldb) ||
      !is_addressable(problem.batch, problem.m, problem.ldc))
    return refuse(KS_BAD_PARAMETER, why,
                  "an operand would have more than 2^63 bytes; choose smaller sizes");
  if (const ks_status status = read_types(params, problem, why); status != KS_OK) return status;
  if (problem.dtype == Dtype::s8 && problem.k > kExactS8DepthMax)
    return refuse(KS_UNSUPPORTED, why,
                  fmt::format("k is {}; sums of more than {} products of s8 may not fit s32", problem.k,
                              kExactS8DepthMax));
  return read_epilogue(params, problem, why);
}

namespace {

ks_status gemm_inputs(const ks_params* params, ks_input* inputs, size_t capacity, size_t* count,
                      ks_why why) {
  GemmProblem problem;
  if (const ks_status status = read_gemm(params, problem, why); status != KS_OK) return status;
  const std::size_t wanted = problem.epilogue.has_bias ? 3 : 2;
  if (capacity < wanted)
    return refuse(KS_FAILED, why, fmt::format("the host has room for fewer than {} inputs", wanted));
  describe_matrix(inputs[0], "a", problem, problem.stored_rows_a(), problem.lda);
  describe_matrix(inputs[1], "b", problem, problem.stored_rows_b(), problem.ldb);
  if (problem.epilogue.has_bias) describe_bias(inputs[2], problem);
  *count = wanted;
  return KS_OK;
}

ks_status gemm_work(const ks_params* params, ks_work* work, ks_why why) {
  GemmProblem problem;
  if (const ks_status status = read_gemm(params, problem, why); status != KS_OK) return status;
  const auto batch = static_cast<double>(problem.batch);
  const auto m = static_cast<double>(problem.m);
  const auto n = static_cast<double>(problem.n);
  const auto k = static_cast<double>(problem.k);
  work->flops = 2 * batch * m * n * k;
  work->bytes = batch * ((m * k + k * n) * static_cast<double>(size_of(problem.dtype)) +
                         m * n * static_cast<double>(size_of(problem.out)));
  if (problem.epilogue.has_bias) work->bytes += n * static_cast<double>(size_of(problem.bias_dtype()));
  return KS_OK;
}

// A sum of k products has an error of at most gamma_k |A||B|, gamma_k = k u / (1 - k u) (Higham 2002,
// section 3.1). That bound is reached by no real data; rounding errors are all but independent, and sqrt(k)
// takes the place of k (Higham and Mary 2019, theorem 2.4). With data of mean zero the error's deviation is
// about 0.1 sqrt(k) u of the largest result, with data of one sign about 0.3 sqrt(k) u: 4 sqrt(k) u is
// beyond chance, and still far below what a single missing product makes. bf16, f16, f8: sums are kept in
// f32, then the result is rounded once. f64: the reference has as much error itself. Few results may all be
// near zero by cancellation, and then say nothing about the size of the sums: there k u is added, for
// operands of magnitude 1.
//
// What only tensor cores multiply has an error of its own, see shortened_products.
//
// Errors of a row are as large as that row of A, so each row has a scale of its own. The largest of a row
// of at least 16 results is beyond chance not small by cancellation: with probability 2e-7 all are below
// half a deviation, and even then the errors are within 4 sqrt(k) u of it. Of bf16 and f16, whose sums
// tensor cores cut off, it is 64 results, of which the largest is about half of that of the whole output,
// as much as the allowance for the cutting leaves. Shorter rows, rows behind an activation, tf32 and f8
// have the scale of the whole output.
//
// A bias is one more term of the sum. relu makes no error larger. gelu, whose slope is at most 1.13, does
// by that much, and has one of its own, see evaluated_gelu. Both may leave of large sums only those near or
// below zero: results then say nothing about the size of sums either, however many there are.
// Small rows may lie where the numbers of a type have no relative precision any more: the distance of the
// subnormal ones of f16, and for the others the smallest normal number for each term, because libraries may
// take subnormal operands and sums for zero.
double smallest_of_rows(const GemmProblem& problem) {
  if (problem.dtype == Dtype::f64) return static_cast<double>(problem.k + 1) * 0x1p-1022;
  const double sums = static_cast<double>(problem.k + 1) * 0x1p-126;
  return problem.out == Dtype::f16 ? sums + 0x1p-24 : sums;
}

ks_status gemm_tolerance(const ks_params* params, ks_tolerance* tolerance) {
  GemmProblem problem;
  char unread[1];
  if (const ks_status status = read_gemm(params, problem, {unread, sizeof unread}); status != KS_OK)
    return status;
  *tolerance = ks_tolerance{};
  if (problem.dtype == Dtype::s8) return KS_OK;
  const std::int64_t terms = problem.k + (problem.epilogue.has_bias ? 1 : 0);
  const auto depth = static_cast<double>(std::max<std::int64_t>(terms, 1));
  const double u = problem.dtype == Dtype::f64 ? 2 * roundoff(Dtype::f64) : roundoff(Dtype::f32);
  const double shortened = shortened_products(problem);
  const bool is_gelu = problem.epilogue.activation == Activation::gelu;
  const double slope = is_gelu ? 1.13 : 1;
  const double evaluated = is_gelu ? evaluated_gelu(problem) : 0;
  tolerance->relative = slope * (4 * std::sqrt(depth) * u + shortened) + evaluated;
  const bool is_rounded_after = problem.out == Dtype::bf16 || problem.out == Dtype::f16;
  if (is_rounded_after) tolerance->relative += 1.01 * roundoff(problem.out);
  constexpr double kFewResults = 256;
  const bool has_few_results =
      static_cast<double>(problem.batch) * static_cast<double>(problem.m) * static_cast<double>(problem.n) <
      kFewResults;
  const bool is_activated = problem.epilogue.activation != Activation::none;
  const bool is_coarse = problem.tf32 || is_8bit_float(problem.dtype);
  const std::int64_t few_of_row = shortened > 0 ? 64 : 16;
  if (!has_few_results && !is_activated && !is_coarse && problem.n >= few_of_row) {
    tolerance->scale_dims = 1;
    tolerance->absolute = smallest_of_rows(problem);
  }
  if (has_few_results || is_activated)
    tolerance->absolute =
        slope * (depth * u + std::sqrt(depth) * shortened) + 2 * std::sqrt(depth) * evaluated;
  return KS_OK;
}

}  // namespace

ks_family gemm_family_of(const ks_variant* const* variants, std::size_t variant_count) {
  return {.name = "gemm",
          .summary = "matrix product: C[b] = act(op(A[b]) op(B[b]) + bias)",
          .params = kGemmParams.data(),
          .param_count = kGemmParams.size(),
          .reference = "naive",
          .inputs = gemm_inputs,
          .work = gemm_work,
          .tolerance = gemm_tolerance,
          .variants = variants,
          .variant_count = variant_count,
          .constants = "b|bias"};  // as the weights of a layer
}

ks_status GemmOutput::allocate(const GemmProblem& problem, const ks_context& context, ks_why why) {
  problem_ = problem;
  const std::size_t bytes =
      static_cast<std::size_t>(problem.batch * problem.m * problem.ldc) * size_of(problem.out);
  if (bytes == 0) return KS_OK;
  data_ = context.allocate(context.host, bytes);
  if (data_ != nullptr) return KS_OK;
  return refuse(KS_OUT_OF_MEMORY, why, fmt::format("no memory for the result's {} bytes", bytes));
}

void GemmOutput::view_of(const GemmProblem& problem, const void* data, ks_tensor& out) {
  out.data = data;
  out.dtype = ks_dtype_of(problem.out);
  out.rank = 3;
  out.shape[0] = problem.batch;
  out.shape[1] = problem.m;
  out.shape[2] = problem.n;
  out.strides[0] = problem.m * problem.ldc;
  out.strides[1] = problem.ldc;
  out.strides[2] = 1;
}

}  // namespace kernsweep
