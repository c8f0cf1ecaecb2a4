// The number of a job by which a claim is judged.
#pragma once

#include <string>
#include <string_view>

#include "results/answer/claims/claim_rows.hpp"

namespace kernsweep {

// Whether a ratio can be made with it: normal, finite and > 0.
bool is_usable(double number);
bool is_percentile(ClaimMetric metric);
ClaimMetric metric_of(const Claim& claim);
std::string_view metric_name_of(const Claim& claim);
// What a job lacks that a claim cannot be judged by: " no error", and why.
std::string lack_of_jobs(const Claim& claim, bool says_why);

// A counter may well be 0, which no ratio can be. With a bound it is taken for a share of that, near a
// millionth, that no counter is by itself, and told as the 0 that it is.
bool zero_counts(const Claim& claim);
double nothing_of(const Claim& claim);

// NaN: there is none. A percentile that is not known for want of samples is at least the median: there is
// none, unless the median alone is beyond what the claim allows.
double number_of(const ClaimJob& job, const Claim& claim);

}  // namespace kernsweep
