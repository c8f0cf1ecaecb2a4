// Verifies the output of a job in the buffers that will be timed, before the timing.
#include <algorithm>
#include <cmath>

#include "shared/base/dtype.hpp"
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

bool JobRunner::choose_reference(Attempt& job) {
  const VerifyRules& rules = job.rules.measure.verify;
  const std::string name = !rules.reference.empty() ? rules.reference
                           : family_.reference      ? family_.reference
                                                    : "";
  if (!rules.enabled || name.empty()) return true;
  const Bound* bound = bind(job.plan, name);
  if (!bound) {
    return job.fail(Outcome::failed_setup, "verify.reference: no variant '" + name + "'" +
                                               did_you_mean(name, variant_names(family_)));
  }
  if (const Status filled = bound->binding.fill(job.body, job.reference_params); !filled) {
    return job.fail(Outcome::failed_setup, "verify.reference: " + filled.error().message);
  }
  job.reference = bound->variant;
  return true;
}

bool JobRunner::verify(Attempt& job) {
  if (!job.reference) return true;
  const VerifyRules& rules = job.rules.measure.verify;
  const ks_variant& variant = *job.bound->variant;
  ks_tensor output{};
  job.result.set_repeatable(true);
  for (std::uint32_t round = 0; round < std::max(1U, rules.repeat); ++round) {
    if (round > 0) job.poisoned = overwrite(output);
    const FirstCallClock first;
    if (const ks_status ran = variant.run(job.state); ran != KS_OK) {
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

  if (!reference_.holds(job.reference_identity)) {
    const auto failed =
        reference_.compute(job.reference_identity, *job.reference, job.reference_params.view(),
                           operands_.tensors(), place_.threads, job.seed, port_);
    if (failed) return job.fail(failed->outcome, failed->reason);
  }
  return compare_with_reference(job, output);
}

bool JobRunner::compare_with_reference(Attempt& job, const ks_tensor& output) {
  const VerifyRules& rules = job.rules.measure.verify;
  const ks_params params = job.params.view();
  ks_tolerance& tolerance = job.tolerance;
  if (family_.tolerance) family_.tolerance(&params, &tolerance);
  const std::string_view dtype =
      tolerance_dtype(text_of_column(job.plan, job.body, "dtype"), params, output);
  if (const auto set = rules.tolerance.find(std::string(dtype)); set != rules.tolerance.end())
    tolerance = {set->second, 0, 0};
  // With an infinite tolerance every output would be right, with NaN none.
  const auto usable = [](double part) { return std::isfinite(part) && part >= 0; };
  if (!usable(tolerance.relative) || !usable(tolerance.absolute))
    return job.fail(Outcome::failed_setup,
                    "the tolerance for " + (dtype.empty() ? "the output" : std::string(dtype)) +
                        " is no number, infinite or negative; say another one by verify.tolerance");
  const auto gathered = dense_doubles(output);
  if (!gathered) return job.fail(Outcome::out_of_memory, gathered.error().message);
  const std::vector<double>& values = *gathered;
  if (values.size() != reference_.values().size()) {
    return job.fail(Outcome::wrong_result, "the output has " + std::to_string(values.size()) +
                                               " elements, the reference " +
                                               std::to_string(reference_.values().size()));
  }
  if (pack_.is_since(6)) job.slice = elements_of_scale(output, tolerance.scale_dims);
  const Comparison comparison = compare(values, reference_.values(), tolerance, job.slice);
  job.result.set_error(comparison.error);
  job.result.set_tolerance(tolerance.relative);
  job.result.set_verified(comparison.within);
  if (!values.empty()) {  // also for jobs that are not watched
    wire::Conditions& conditions = *job.result.mutable_conditions();
    conditions.set_error_norm(comparison.error_norm);
    if (comparison.error_element) conditions.set_error_element(*comparison.error_element);
    conditions.set_nan_count(comparison.nan_count);
    conditions.set_inf_count(comparison.inf_count);
    conditions.set_zero_share(comparison.zero_share);
  }
  if (!comparison.within && job.poisoned && was_left(output)) return fail_uncomputed(job, output);
  if (!comparison.within) {
    return job.fail(Outcome::wrong_result, describe(comparison, values, reference_.values(), tolerance));
  }
  if (!values.empty() && comparison.zero_share == 1) job.result.add_doubts(kAllZeros);
  if (!job.result.repeatable()) job.result.add_grades("repeated runs gave different bits");
  return true;
}

}  // namespace kernsweep
