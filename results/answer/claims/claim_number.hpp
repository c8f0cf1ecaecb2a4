// The number of a job by which a claim is judged.
#pragma once

#include <string>

#include "results/answer/best/best.hpp"
#include "results/read/sweep_rows.hpp"
#include "shared/base/claim.hpp"

namespace kernsweep {

// Whether a ratio can be made with it: normal, finite and > 0.
bool is_usable(double number);

class ClaimNumber {
 public:
  explicit ClaimNumber(const Claim& claim);

  // `metric` and `counted` of what `best` would be asked.
  const BestQuestion& metric() const { return metric_; }
  // As read_rows takes it: the metric or the error. Empty: it reads the number anyway, or there is none.
  std::string stored() const;
  // What a job lacks that a claim cannot be judged by: " no error", and why.
  std::string lack(bool says_why) const;

  // A counter may well be 0, which no ratio can be. With a bound it is taken for a share of that, near a
  // millionth, that no counter is by itself, and told as the 0 that it is.
  bool may_be_zero() const { return metric_.metric == BestMetric::counted && bound_ > 0; }
  double instead_of_zero() const { return bound_ * 0.9137e-6; }

  // As it was measured. NaN: there is none.
  double measured(const SweepRows::Job& job) const;
  // By which the claim is judged: a percentile that is not known for want of samples is at least the
  // median. There is none, unless the median alone is beyond what the claim allows.
  double of(const SweepRows::Job& job) const;

 private:
  bool is_percentile() const;

  ClaimKind kind_;
  double bound_;
  BestQuestion metric_;
};

}  // namespace kernsweep
