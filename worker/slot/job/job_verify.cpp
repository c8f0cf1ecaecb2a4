// Verifies the output of a job in the buffers that will be timed, before the timing.
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "shared/base/doubt_cause.hpp"
#include "shared/base/dtype.hpp"
#include "shared/base/reference_rule.hpp"
#include "shared/text/source_call.hpp"
#include "shared/text/suggest.hpp"
#include "worker/host/processor_limits.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/verify/output.hpp"

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

// The data type of the job: its `dtype`, given or default, if it is one. A bf16 kernel may have an f32
// output, which still has the errors of bf16.
std::string_view named_dtype(const std::string& column, const ks_params& params) {
  if (const auto named = tolerance_named(column)) return *named;
  for (std::size_t i = 0; i < params.count; ++i) {
    const ks_param& param = params.items[i];
    if (param.kind != KS_TEXT || std::string_view(param.name) != "dtype") continue;
    if (const auto named = tolerance_named(param.text)) return *named;
  }
  return "";
}

}  // namespace

bool JobRunner::verify(Attempt& job) {
  if (!job.is_compared()) return true;
  const PhaseTimer timer(job.spent.verified);
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

  if (!obtain_reference(job)) return false;
  return compare_with_reference(job, output);
}

// The dtype's own tolerance, or else the family's with the parts that the sweep replaces. If neither has
// one and the reference comes from outside the pack: the rounding tolerance.
Allowance JobRunner::allowance_of(const Attempt& job) const {
  Allowance out(declared_tolerance(job));
  out.said = job.rules.measure.verify.tolerance;
  out.column = named_dtype(text_of_column(job.plan, job.body, "dtype"), job.params.view());
  const std::string_view family = family_.name;
  out.may_round = family == "python" || is_source_family(family);
  return out;
}

bool JobRunner::compare_with_reference(Attempt& job, const ks_tensor& output) {
  job.allowance = allowance_of(job);
  const ks_tolerance tolerance = job.allowance.between(dtype_of(output), std::nullopt);
  // With an infinite tolerance every output would be right, and with NaN none.
  const auto usable = [](double part) { return std::isfinite(part) && part >= 0; };
  if (!usable(tolerance.relative) || !usable(tolerance.absolute))
    return job.fail(Outcome::failed_setup,
                    "the tolerance for " + std::string(name_of(static_cast<Dtype>(output.dtype))) +
                        " is not a number, infinite or negative; set another one with verify.tolerance");
  if (pack_.is_since(6)) job.slice = elements_of_scale(output, reference_.output(), tolerance.scale_dims);
  const auto judged = judge(output, prints_text(), reference_.output(), job.allowance, job.slice,
                            pack_.parts_of(*job.bound->variant, job.state, output),
                            pack_.keys_of(*job.bound->variant, job.state));
  if (!judged) return job.fail(Outcome::out_of_memory, judged.error().message);
  job.result.set_verified(judged->within);
  const Comparison& comparison = judged->comparison;
  if (!judged->values.empty() && judged->flaw.empty()) tell_comparison(job, *judged);
  if (!judged->within && job.poisoned && was_left(output)) return fail_uncomputed(job, output);
  if (!judged->flaw.empty()) return job.fail(Outcome::wrong_result, judged->flaw);
  if (!judged->within) {
    constexpr double kMayBeRounding = 1e-3;
    const auto& [relative, absolute, unused] = comparison.tolerance;
    const std::size_t at = comparison.worst;
    const auto is_whole = [](double number) { return std::trunc(number) == number; };
    const bool may_be_rounding = relative == 0 && absolute == 0 && comparison.error < kMayBeRounding &&
                                 comparison.not_finite == 0 &&
                                 !(is_whole(judged->values[at]) && is_whole(judged->right[at]));
    return job.fail(
        Outcome::wrong_result,
        describe(comparison, judged->values, judged->right) +
            (may_be_rounding ? "; where roundings may differ, say verify.tolerance: {relative: 1e-6}"
                             : ""));
  }
  job.doubt_empty(empty_of(comparison, judged->values.size()), false);
  if (const std::string partly = about_not_finite(comparison, judged->values.size()); !partly.empty())
    job.result.add_notes(partly);
  if (!job.result.repeatable()) job.result.add_grades("repeated runs gave different bits");
  return true;
}

void JobRunner::tell_comparison(Attempt& job, const Judgement& judged) {
  const Comparison& comparison = judged.comparison;
  job.result.set_error(comparison.error);
  job.result.set_tolerance(comparison.tolerance.relative);
  wire::Conditions& conditions = *job.result.mutable_conditions();  // also for jobs that are not watched
  conditions.set_error_norm(comparison.error_norm);
  if (comparison.error_element) conditions.set_error_element(*comparison.error_element);
  conditions.set_nan_count(comparison.nan_count);
  conditions.set_inf_count(comparison.inf_count);
  conditions.set_zero_share(comparison.zero_share);
}

// The work of a call, as the family declares it or a run reports it, is compared with the limits of the
// cores. A tolerance may permit narrower arithmetic than the data type. The work that a run reports
// (report_work) may be that of another algorithm, such as the operations of a direct convolution where the
// kernel transforms, so it is not a failure.
bool JobRunner::is_possible(Attempt& job, const ks_work& of_family) {
  constexpr double kImpossible = 4;
  if (isolated_ || job.broken || !(job.median_s > 0) || pack_.device_of(*job.bound->variant) == "gpu")
    return true;
  static const ProcessorLimits limits = limits_of_this_processor();
  const ks_work work = job.host.work.value_or(of_family);
  CallRate call{work.flops, work.bytes, job.median_s, 1, 0, place_.llc_bytes, Arithmetic::f64};
  for (const wire::Input& input : job.result.inputs())
    call.operand_bytes += static_cast<double>(input.bytes());
  call.cores = static_cast<std::uint32_t>(place_.cpus.empty() ? sysconf(_SC_NPROCESSORS_ONLN)
                                                              : static_cast<long>(place_.cpus.size()));
  if (!above_limit(call, limits)) return true;  // for the least work
  call.arithmetic = arithmetic_of(job);
  const auto above = above_limit(call, limits);
  const bool is_impossible = above && above->times > kImpossible;
  if (!above || (job.host.work && !is_impossible)) return true;
  if (!is_impossible || job.host.work) {
    job.doubt("the rate is above what the processor can do: " + above->text);
    return true;
  }
  job.result.clear_samples_s();
  return job.fail(Outcome::wrong_result,
                  "not physically possible: " + above->text +
                      "; a call leaves work out, or the family counts more work than there is");
}

Arithmetic JobRunner::arithmetic_of(Attempt& job) {
  constexpr double kExact = 1e-7, kNarrow = 0x1p-10;
  ks_tensor output{};
  if (!job.good(job.bound->variant->output(job.state, &output)) || !element_count(output))
    return Arithmetic::narrow;
  const Allowance allowance = allowance_of(job);
  const std::string_view type =
      allowance.column.empty() ? name_of(dtype_of(output)) : std::string_view(allowance.column);
  const double may_err = allowance.between(dtype_of(output), std::nullopt).relative;
  if (may_err >= kNarrow || (type != "f64" && type != "f32")) return Arithmetic::narrow;
  return type == "f64" && may_err < kExact ? Arithmetic::f64 : Arithmetic::f32;
}

}  // namespace kernsweep
