#include <fmt/format.h>

#include <array>
#include <string_view>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/roof/loops.hpp"
#include "kernels/cpu/roof/roof.hpp"

namespace kernsweep::roof {
namespace {

constexpr std::int64_t kOperationsDefault = std::int64_t{1} << 27;
constexpr std::int64_t kBytesDefault = std::int64_t{1} << 28;
constexpr std::int64_t kMost = std::int64_t{1} << 42;

const std::array kParams = {
    ks_param_doc{"op", KS_TEXT, "fma", "fma|read|copy|triad",
                 "what is asked for: arithmetic, or the memory's reading, copying, adding"},
    ks_param_doc{"dtype", KS_TEXT, "f64", "f64|f32|tf32|bf16|f16|s8",
                 "operands of fma; arrays are f64. tf32: f32, of which the arithmetic may keep 10 bits of "
                 "fraction"},
    ks_param_doc{"operations", KS_INTEGER, "134217728", nullptr,
                 "fma: operations of one run, all threads together; rounded up to 1536"},
    ks_param_doc{"bytes", KS_INTEGER, "268435456", nullptr,
                 "read, copy, triad: size of all arrays, all threads together"},
    ks_param_doc{"passes", KS_INTEGER, "1", nullptr,
                 "read, copy, triad: how often a run goes over the arrays"},
    ks_param_doc{"non_temporal", KS_BOOLEAN, "false", nullptr,
                 "copy, triad: stores that bypass the caches"},
};

ks_status inputs(const ks_params* params, ks_input*, size_t, size_t* count, ks_why why) {
  Problem problem;
  *count = 0;
  return parse(params, problem, why);
}

ks_status work(const ks_params* params, ks_work* result, ks_why why) {
  Problem problem;
  if (const ks_status status = parse(params, problem, why); status != KS_OK) return status;
  if (problem.op == Op::fma) {
    *result = {.flops = static_cast<double>(problem.blocks * kBlockOperations), .bytes = 0};
    return KS_OK;
  }
  const double elements = static_cast<double>(problem.elements) * static_cast<double>(problem.passes);
  const double flops = problem.op == Op::copy ? 0 : problem.op == Op::triad ? 2 : 1;
  *result = {.flops = flops * elements, .bytes = 8.0 * arrays_of(problem.op) * elements};
  return KS_OK;
}

// Sums of ones and small whole numbers are exact in every type.
ks_status tolerance(const ks_params*, ks_tolerance* result) {
  *result = {.relative = 0, .absolute = 0};
  return KS_OK;
}

ks_dtype dtype_named(std::string_view name) {
  if (name == "f32" || name == "tf32") return KS_F32;
  if (name == "bf16") return KS_BF16;
  if (name == "f16") return KS_F16;
  return name == "s8" ? KS_S8 : KS_F64;
}

}  // namespace

ks_status parse(const ks_params* params, Problem& problem, ks_why why) {
  const Params point(params);
  if (const ks_status status = point.check(kParams.data(), kParams.size(), why); status != KS_OK)
    return status;
  const std::string_view op = point.text("op", "fma");
  problem.op = op == "read" ? Op::read : op == "copy" ? Op::copy : op == "triad" ? Op::triad : Op::fma;
  const std::string_view dtype = point.text("dtype", "f64");
  problem.dtype = dtype_named(dtype);
  problem.tf32 = dtype == "tf32";
  problem.non_temporal = point.boolean("non_temporal", false);
  const std::int64_t operations = point.integer("operations", kOperationsDefault);
  const std::int64_t bytes = point.integer("bytes", kBytesDefault);
  problem.passes = point.integer("passes", 1);
  const auto out_of_range = [&](const char* name, std::int64_t value) {
    return refuse(KS_BAD_PARAMETER, why, fmt::format("{} is {}; it must be 1 to 2^42", name, value));
  };
  if (operations < 1 || operations > kMost) return out_of_range("operations", operations);
  if (bytes < 1 || bytes > kMost) return out_of_range("bytes", bytes);
  if (problem.passes < 1 || problem.passes > kMost) return out_of_range("passes", problem.passes);
  problem.blocks = (operations + kBlockOperations - 1) / kBlockOperations;
  if (problem.op == Op::fma) return KS_OK;
  problem.elements = bytes / (8 * arrays_of(problem.op));
  if (problem.elements < 1)
    return refuse(KS_BAD_PARAMETER, why,
                  fmt::format("bytes is {}; {} needs {} at least", bytes, op, 8 * arrays_of(problem.op)));
  if (problem.dtype != KS_F64)
    return refuse(KS_UNSUPPORTED, why, "arrays are f64; leave dtype out, or measure fma");
  return KS_OK;
}

void view_of(const double* values, ks_tensor& out) {
  out.data = values;
  out.dtype = KS_F64;
  out.rank = 1;
  out.shape[0] = 2;
  out.strides[0] = 1;
}

ks_family family_of(const ks_variant* const* variants, std::size_t variant_count) {
  return {.name = "roof",
          .summary = "the limits of a host: multiply-adds, and bandwidth at any size",
          .params = kParams.data(),
          .param_count = kParams.size(),
          .reference = "expected",
          .inputs = inputs,
          .work = work,
          .tolerance = tolerance,
          .variants = variants,
          .variant_count = variant_count,
          .settings = "non_temporal"};
}

}  // namespace kernsweep::roof
