// How much processes of stored points differ, which an answer about a few points learns from all others.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>

#include "results/read/reader.hpp"
#include "results/read/sweep_rows.hpp"
#include "results/read/value_codes.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

// Adds for the gap what the hosts of `rows`, the sweep itself, measured in the last sweeps of the same
// kernel before this one: the processes of each point together, without what was measured with --quick, is
// graded C, or is a result of this sweep, too. Bounded: six sweeps, and of each the first thousand points.
// Error: the database cannot be read.
Status add_earlier_sweeps(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                          ProcessSpread& spread);

// The spread of the times of whole sweeps, whichever part an answer is about; `best` uses the same.
class StoredSpread {
 public:
  // Points with one number of threads, in one cache state, on one kind of host (its fingerprint, as stored)
  // are expected to vary alike.
  struct Stratum {
    Value threads, cache, host;
  };

  // Adds the points of a sweep, and of the sweeps before it. Results that are graded worse than
  // `worst_grade` are left out, and so are points that were added before, also from a copy of the file.
  // Error: the database cannot be read.
  Status add(Reader& reader, const StoredSweep& sweep, char worst_grade);
  // Must be called after the last sweep.
  void fit() { spread_.fit(); }

  const ProcessSpread& spread() const { return spread_; }
  // The times of a point: logarithms of its processes' medians, at least one, which must outlive the
  // result.
  WayTimes way(std::span<const double> logs, const Stratum& stratum) const;

 private:
  std::uint32_t number_of(const Stratum& stratum);

  ProcessSpread spread_;
  std::map<std::string, std::uint32_t> strata_;
  std::unordered_set<std::uint64_t> seen_;  // hashes of points that were added
};

}  // namespace kernsweep
