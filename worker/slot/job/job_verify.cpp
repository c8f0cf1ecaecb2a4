// Verifies the output of a job in the buffers that will be timed, before the timing.
#include <algorithm>
#include <cmath>

#include "shared/base/dtype.hpp"
#include "shared/base/reference_rule.hpp"
#include "shared/text/suggest.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/job/output.hpp"

namespace kernsweep {
namespace {

// The name for which a tolerance can be given: a data type, or tf32, which is not an element type but a way
// to multiply f32 with errors of its own.
std::optional<std::string_view> tolerance_named(std::string_view dtype) {
  constexpr std::string_view kTf32 = "tf32";
  if (dtype == kTf32) return kTf32;
  if (const auto named = dtype_named(dtype)) return name_of(*named);
  return std::nullopt;
}

// The data type for `verify.tolerance`: the job's `dtype` (given or default) if it is one; otherwise the
// type of the output. A bf16 kernel may have an f32 output, which still has the errors of bf16.
std::string_view tolerance_dtype(const std::string& column, const ks_params& params,
                                 const ks_tensor& output) {
  if (const auto named = tolerance_named(column)) return *named;
  for (std::size_t i = 0; i < params.count; ++i) {
    const ks_param& param = params.items[i];
    if (param.kind != KS_TEXT || std::string_view(param.name) != "dtype") continue;
    if (const auto named = tolerance_named(param.text)) return *named;
  }
  return name_of(static_cast<Dtype>(output.dtype));
}

}  // namespace

bool JobRunner::verify(Attempt& job) {
  if (!job.is_compared()) return true;
  const VerifyRules& rules = job.rules.measure.verify;
  const ks_variant& variant = *job.bound->variant;
  ks_tensor output{};
  job.result.set_repeatable(true);
  for (std::uint32_t round = 0; round < std::max(1U, rules.repeat); ++round) {
    if (round > 0) job.poisoned = overwrite(job, output);
    const FirstCallClock first;
    if (const ks_status ran = call(job, job.state); ran != KS_OK) {
      return job.fail(ran, Outcome::failed_run,
                      job.explained("the variant failed when it was run to be verified"));
    }
    if (round == 0) job.first = first.read(variant, job.state);
    if (const ks_status shown = variant.output(job.state, &output); shown != KS_OK)
      return job.fail(shown, Outcome::failed_run, job.explained("the variant could not show its output"));
    if (const auto count = element_count(output); !count)
      return job.fail(Outcome::failed_run, count.error().message);
    const Digest hash = output_hash(output);
    if (job.hashed && hash != job.hash) job.result.set_repeatable(false);
    job.hash = hash;
    job.hashed = true;
  }

  if (!obtain_reference(job, output)) return false;
  return compare_with_reference(job, output);
}

// The dtype's own tolerance, or else the family's with the parts that the sweep replaces. Where neither
// says anything and the reference comes from outside the pack, what rounding may do.
ks_tolerance JobRunner::tolerance_of(Attempt& job, const ks_tensor& output) const {
  const VerifyRules& rules = job.rules.measure.verify;
  const ks_params params = job.params.view();
  const ks_tolerance tolerance = declared_tolerance(job);
  const std::string_view dtype =
      tolerance_dtype(text_of_column(job.plan, job.body, "dtype"), params, output);
  const auto said = [&](std::string_view name, double otherwise) {
    const auto set = rules.tolerance.find(std::string(name));
    return set == rules.tolerance.end() ? otherwise : set->second;
  };
  if (rules.tolerance.contains(std::string(dtype))) return {said(dtype, 0), 0, tolerance.scale_dims};
  const bool says_how_far = rules.tolerance.contains("relative") || rules.tolerance.contains("absolute");
  const bool is_function = std::string_view(family_.name) == "python";
  if (is_function && !says_how_far && is_float(static_cast<Dtype>(output.dtype))) {
    const double by_name = rounding_tolerance(dtype);
    const std::string_view own = name_of(static_cast<Dtype>(output.dtype));
    return {by_name > 0 ? by_name : rounding_tolerance(own), 0, tolerance.scale_dims};
  }
  return {said("relative", tolerance.relative), said("absolute", tolerance.absolute), tolerance.scale_dims};
}

bool JobRunner::compare_with_reference(Attempt& job, const ks_tensor& output) {
  ks_tolerance& tolerance = job.tolerance;
  tolerance = tolerance_of(job, output);
  // With an infinite tolerance every output would be right, with NaN none.
  const auto usable = [](double part) { return std::isfinite(part) && part >= 0; };
  if (!usable(tolerance.relative) || !usable(tolerance.absolute))
    return job.fail(Outcome::failed_setup,
                    "the tolerance for " + std::string(name_of(static_cast<Dtype>(output.dtype))) +
                        " is no number, infinite or negative; say another one by verify.tolerance");
  if (pack_.is_since(6)) job.slice = elements_of_scale(output, reference_.output(), tolerance.scale_dims);
  const auto judged = judge(output, prints_text(), reference_.output(), tolerance, job.slice);
  if (!judged) return job.fail(Outcome::out_of_memory, judged.error().message);
  job.result.set_verified(judged->within);
  const Comparison& comparison = judged->comparison;
  if (!judged->values.empty() && judged->flaw.empty()) tell_comparison(job, *judged);
  if (!judged->within && job.poisoned && was_left(output)) return fail_uncomputed(job, output);
  if (!judged->flaw.empty()) return job.fail(Outcome::wrong_result, judged->flaw);
  if (!judged->within) {
    constexpr double kMayBeRounding = 1e-3;
    const bool is_exact = tolerance.relative == 0 && tolerance.absolute == 0;
    return job.fail(Outcome::wrong_result,
                    describe(comparison, judged->values, judged->right, tolerance) +
                        (is_exact && comparison.error < kMayBeRounding && comparison.not_finite == 0
                             ? "; where roundings may differ, say verify.tolerance: {relative: 1e-6}"
                             : ""));
  }
  job.doubt_empty(empty_of(comparison, judged->values.size()));
  if (!job.result.repeatable()) job.result.add_grades("repeated runs gave different bits");
  return true;
}

void JobRunner::tell_comparison(Attempt& job, const Judgement& judged) {
  const Comparison& comparison = judged.comparison;
  job.result.set_error(comparison.error);
  job.result.set_tolerance(job.tolerance.relative);
  wire::Conditions& conditions = *job.result.mutable_conditions();  // also for jobs that are not watched
  conditions.set_error_norm(comparison.error_norm);
  if (comparison.error_element) conditions.set_error_element(*comparison.error_element);
  conditions.set_nan_count(comparison.nan_count);
  conditions.set_inf_count(comparison.inf_count);
  conditions.set_zero_share(comparison.zero_share);
}

}  // namespace kernsweep
