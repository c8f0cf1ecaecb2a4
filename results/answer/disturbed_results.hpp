// Results that count although they were measured under disturbance, and how much time it may have added.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "results/read/reader.hpp"
#include "results/read/sweep_rows.hpp"
#include "shared/base/doubt_cause.hpp"

namespace kernsweep {

// By result: the logarithm of its median over the least median that is possible without the disturbance; 0
// or more.
using DisturbedResults = std::unordered_map<std::uint64_t, double>;

// The results of the sweep that are graded C for a cause of the machine. Error: the database cannot be
// read.
Result<DisturbedResults> read_disturbed(Reader& reader, SweepId sweep);

// Whether a job counts where times are compared: it is graded well, or C for a cause of the machine.
inline bool counts_by_grade(const SweepRows::Job& job, char worst_grade,
                            const DisturbedResults& disturbed) {
  return job.grade <= worst_grade || (job.grade != 'X' && disturbed.contains(job.result));
}

// What is stored of such a result. Times in seconds; 0: not known.
struct DisturbedTimes {
  double min_s = 0, q1_s = 0, median_s = 0;
  double least_s = 0;  // conditions.least_median_s
  std::uint64_t samples_taken = 0, samples_disturbed = 0;
  DoubtCause cause = DoubtCause::unknown;
};
// A disturbance only adds time. If the loss of each sample is known, `least_s` has it. Else, if a share d <
// 1/2 of the samples was disturbed, the median of the others is at least the quantile 1/2 - d of all. If
// more were disturbed, or the whole job shared its cores or had a quota, the fastest sample is used.
double what_it_may_have_cost(const DisturbedTimes& times);

// "clock 12, switched 40": 52 samples.
std::uint64_t disturbed_samples(std::string_view disturbed_by);

}  // namespace kernsweep
