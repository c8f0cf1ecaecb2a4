// How much processes of one point differ in the number that a claim is about, over all points of the sweep.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "results/answer/claims/claim_rows.hpp"
#include "results/read/reader.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

class ClaimSpread {
 public:
  // `number_of` a job: not above 0 or not finite: it does not count. `earlier`: the sweeps of the host
  // before this one count too, because the numbers are times in seconds. Error: the database cannot be
  // read.
  static Result<ClaimSpread> make(Reader& reader, const StoredSweep& sweep, const ClaimRows& rows,
                                  const std::function<double(const ClaimJob&)>& number_of, bool earlier);

  const ProcessSpread& spread() const { return spread_; }
  // Of a point with such logarithms, which must outlive the result.
  WayTimes way(std::span<const double> logs, std::uint32_t point) const {
    return {.logs = logs, .expected = expected_[point]};
  }

 private:
  ProcessSpread spread_;
  std::vector<ExpectedVariance> expected_;  // of each point
};

}  // namespace kernsweep
