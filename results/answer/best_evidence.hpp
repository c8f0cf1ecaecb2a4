// How sure the answer of `best` is: the processes' numbers of each candidate, and what they let decide.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "results/read/reader.hpp"
#include "results/read/sweep_rows.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

class BestEvidence {
 public:
  // What is compared: `of` a job (NaN: it has none; s, or the unit of the metric), whether larger ones are
  // better, and whether a job is one of its candidate's.
  struct Numbers {
    std::function<double(const SweepRows::Job&)> of;
    std::function<bool(const SweepRows::Job&)> kept;
    bool larger_is_better = false;
    bool are_times = true;  // medians in seconds: results of earlier sweeps are looked at, too
  };
  // Results that were measured under disturbance, with the logarithm of their fastest sample in seconds.
  using Disturbed = std::unordered_map<std::uint64_t, double>;
  // Error: the database cannot be read.
  static Result<Disturbed> read_disturbed(Reader& reader, SweepId sweep);

  // `is_disturbed`: 1 for each candidate that was measured only under disturbance, whose results are in
  // `disturbed`. Error: the database cannot be read.
  static Result<BestEvidence> gather(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                     std::span<const Candidate> candidates,
                                     std::span<const char> is_disturbed, const Disturbed& disturbed,
                                     const Numbers& numbers);

  // Whether every process of the candidate has a number above zero; of others nothing is decided.
  bool known(std::uint32_t candidate) const { return unknown_[candidate] == 0; }
  // Logarithms of the processes' numbers, negated if larger ones are better. Valid as long as this object.
  std::span<const double> logs(std::uint32_t candidate) const;
  WayTimes way(std::uint32_t candidate) const;
  // The groups into which its processes fall; none where a number is not known.
  Split split(std::uint32_t candidate) const;
  const ProcessSpread& spread() const { return spread_; }

 private:
  BestEvidence() = default;

  std::vector<std::size_t> begins_;  // of each candidate's logs, and the end
  std::vector<double> logs_;
  std::vector<char> unknown_, disturbed_;
  std::vector<double> best_case_logs_;  // of disturbed candidates
  std::vector<std::uint32_t> strata_;   // of each candidate
  std::vector<double> mean_logs_;       // of each candidate
  ProcessSpread spread_;
};

}  // namespace kernsweep
