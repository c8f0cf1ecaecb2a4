#include "results/answer/claims/claim_number.hpp"

#include <cmath>

#include "results/answer/best/best_metric.hpp"

namespace kernsweep {

bool is_usable(double number) {
  return std::isnormal(number) && number > 0;
}

ClaimNumber::ClaimNumber(const Claim& claim) : kind_(claim.kind), bound_(claim.bound) {
  metric_.metric = metric_named(claim.metric).value_or(BestMetric::counted);
  metric_.counted = claim.metric;
}

std::string ClaimNumber::stored() const {
  return kind_ == ClaimKind::error_below ? "r.error" : stored_in(metric_);
}

std::string ClaimNumber::lack(bool says_why) const {
  if (kind_ == ClaimKind::equal_bits) return " no output hash";
  if (kind_ == ClaimKind::error_below) return " no error";
  if (kind_ == ClaimKind::limited_by) return " no class";
  std::string out = " no " + metric_.counted;
  if (says_why && is_percentile()) out += ": too few samples";
  return says_why ? out + reason_of_lack(metric_.counted) : out;
}

bool ClaimNumber::is_percentile() const {
  return metric_.metric >= BestMetric::p90_s && metric_.metric <= BestMetric::p999_s;
}

double ClaimNumber::measured(const SweepRows::Job& job) const {
  return metric_in(metric_.metric, job);
}

double ClaimNumber::of(const SweepRows::Job& job) const {
  const double number = measured(job);
  if (may_be_zero() && number == 0) return instead_of_zero();
  if (is_usable(number) || kind_ != ClaimKind::at_most || !is_percentile()) return number;
  return is_usable(job.median_s) && job.median_s > bound_ ? job.median_s : kUnknown;
}

}  // namespace kernsweep
