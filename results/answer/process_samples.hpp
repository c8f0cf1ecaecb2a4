// The quartiles of the samples of each result, and the results of each point: one for each process.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "results/read/sweep_rows.hpp"

namespace kernsweep {

// Values of `outcome` and `attempt_row` that SweepRows does not have. 0: not known.
struct SampleSpread {
  double min_s = 0, q1_s = 0, q3_s = 0, max_s = 0;  // seconds per call
  double flops = 0, bytes = 0;                      // of a call
  std::uint64_t process = 0, samples = 0;
};
using SampleSpreads = std::unordered_map<std::uint64_t, SampleSpread>;  // by result

// Of all results of the sweep whose status is ok. Error: the database cannot be read.
Result<SampleSpreads> read_sample_spreads(Reader& reader, const StoredSweep& sweep);

// The jobs of a sweep by points and places. Refers to `rows`.
class JobsOfPoints {
 public:
  explicit JobsOfPoints(const SweepRows& rows);
  // The index of a job of this result in a point and place that was not returned before (several points may
  // share a result); rows.jobs.size(): none.
  std::uint32_t next_of(std::uint64_t result);
  // use(job) for each job of the same point in the same place.
  void each_beside(std::uint32_t job, const auto& use) const {
    for (const std::uint32_t each : jobs_.of(candidate_of_[job])) use(rows_.jobs[each]);
  }

 private:
  const SweepRows& rows_;
  std::vector<std::uint32_t> candidate_of_;  // of each job
  RowGroups jobs_;                           // of each candidate
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_result_;
};

}  // namespace kernsweep
