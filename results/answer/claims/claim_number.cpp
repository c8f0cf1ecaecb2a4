#include "results/answer/claims/claim_number.hpp"

#include <cmath>

#include "results/answer/best_metric.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

bool is_usable(double number) {
  return std::isnormal(number) && number > 0;
}

bool is_percentile(ClaimMetric metric) {
  return metric == ClaimMetric::p90_s || metric == ClaimMetric::p99_s || metric == ClaimMetric::p999_s;
}

ClaimMetric metric_of(const Claim& claim) {
  if (claim.kind == ClaimKind::faster) return ClaimMetric::median_s;
  if (!claim.counted.empty()) return ClaimMetric::counted;
  return claim.kind == ClaimKind::less_memory ? ClaimMetric::peak_memory_bytes : claim.metric;
}

std::string_view metric_name_of(const Claim& claim) {
  return claim.counted.empty() ? name_of(metric_of(claim)) : std::string_view(claim.counted);
}

bool zero_counts(const Claim& claim) {
  return metric_of(claim) == ClaimMetric::counted && claim.bound > 0;
}

std::string lack_of_jobs(const Claim& claim, bool says_why) {
  if (claim.kind == ClaimKind::equal_bits) return " no output hash";
  if (claim.kind == ClaimKind::error_below) return " no error";
  if (claim.kind == ClaimKind::limited_by) return " no class";
  const ClaimMetric metric = metric_of(claim);
  std::string out = " no " + std::string(metric_name_of(claim));
  if (says_why && is_percentile(metric)) out += ": too few samples";
  return says_why ? out + reason_of_lack(metric_name_of(claim)) : out;
}

double nothing_of(const Claim& claim) {
  return claim.bound * 0.9137e-6;
}

double number_of(const ClaimJob& job, const Claim& claim) {
  const ClaimMetric metric = metric_of(claim);
  const double number = job.metric(metric), median = job.metric(ClaimMetric::median_s);
  if (zero_counts(claim) && number == 0) return nothing_of(claim);
  if (is_usable(number) || claim.kind != ClaimKind::at_most || !is_percentile(metric)) return number;
  return is_usable(median) && median > claim.bound ? median : kUnknown;
}

}  // namespace kernsweep
