#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <string_view>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/stream/stream.hpp"

namespace kernsweep::stream {
namespace {

constexpr std::int64_t kElementsDefault = std::int64_t{1} << 25;
constexpr std::int64_t kElementsMax = std::int64_t{1} << 40;

const std::array kParams = {
    ks_param_doc{"op", KS_TEXT, "triad", "copy|scale|add|triad", "which of STREAM's loops"},
    ks_param_doc{"n", KS_INTEGER, "33554432", nullptr,
                 "elements per array; STREAM asks for four times the last-level caches or more"},
    ks_param_doc{"dtype", KS_TEXT, "f64", "f64|f32", "element type"},
    ks_param_doc{"non_temporal", KS_BOOLEAN, "false", nullptr,
                 "stores that bypass the caches, and so save reading each line before it is overwritten"},
};

Op op_named(std::string_view name) {
  if (name == "copy") return Op::copy;
  if (name == "scale") return Op::scale;
  return name == "add" ? Op::add : Op::triad;
}

ks_status inputs(const ks_params* params, ks_input* out, size_t capacity, size_t* count, ks_why why) {
  Problem problem;
  if (const ks_status status = parse(params, problem, why); status != KS_OK) return status;
  *count = static_cast<size_t>(inputs_of(problem.op));
  for (size_t i = 0; i < *count && i < capacity; ++i) {
    out[i] = {};
    std::snprintf(out[i].name, sizeof out[i].name, "%s", i == 0 ? "x" : "y");
    out[i].dtype = problem.dtype;
    out[i].rank = 1;
    out[i].shape[0] = problem.n;
    out[i].distribution = KS_UNIFORM;
    out[i].a = -1;
    out[i].b = 1;
  }
  return KS_OK;
}

ks_status work(const ks_params* params, ks_work* result, ks_why why) {
  Problem problem;
  if (const ks_status status = parse(params, problem, why); status != KS_OK) return status;
  const auto n = static_cast<double>(problem.n);
  const double flops = problem.op == Op::copy ? 0 : problem.op == Op::triad ? 2 : 1;
  *result = {.flops = flops * n,
             .bytes = n * static_cast<double>((inputs_of(problem.op) + 1) * element_bytes(problem.dtype))};
  return KS_OK;
}

// At most two roundings separate the result from the exact one, each at most u = 2^-53 (f64) or 2^-24 (f32)
// of a value that is no larger than |x| + 3 |y|: at most 4 for the inputs that are made here, near the
// largest |result| for others.
ks_status tolerance(const ks_params* params, ks_tolerance* result) {
  const bool wide = std::string_view(Params(params).text("dtype", "f64")) == "f64";
  const double u = wide ? 0x1p-53 : 0x1p-24;
  *result = {.relative = 4 * u, .absolute = 8 * u};
  return KS_OK;
}

}  // namespace

ks_status parse(const ks_params* params, Problem& problem, ks_why why) {
  const Params point(params);
  if (const ks_status status = point.check(kParams.data(), kParams.size(), why); status != KS_OK)
    return status;
  problem.op = op_named(point.text("op", "triad"));
  problem.dtype = std::string_view(point.text("dtype", "f64")) == "f64" ? KS_F64 : KS_F32;
  problem.n = point.integer("n", kElementsDefault);
  problem.non_temporal = point.boolean("non_temporal", false);
  if (problem.n < 0 || problem.n > kElementsMax) {
    return refuse(KS_BAD_PARAMETER, why, fmt::format("n is {}; it must be 0 to 2^40 elements", problem.n));
  }
  return KS_OK;
}

std::int64_t element_bytes(ks_dtype dtype) {
  return dtype == KS_F64 ? 8 : 4;
}

ks_family family_of(const ks_variant* const* variants, std::size_t variant_count) {
  return {.name = "stream",
          .summary = "memory bandwidth: STREAM's copy, scale, add and triad",
          .params = kParams.data(),
          .param_count = kParams.size(),
          .reference = "naive",
          .inputs = inputs,
          .work = work,
          .tolerance = tolerance,
          .variants = variants,
          .variant_count = variant_count,
          .settings = "non_temporal",
          .least = "bytes"};
}

}  // namespace kernsweep::stream
