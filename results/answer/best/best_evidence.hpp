// How sure the answer of `best` is: the processes' numbers of each candidate, and the verdicts that follow.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "results/answer/disturbed_results.hpp"
#include "results/read/reader.hpp"
#include "results/read/sweep_rows.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

// How a disturbance changes a number: as it does the time; not known; not at all.
enum class OfDisturbance : std::uint8_t { adds_time, unknown, nothing };

class BestEvidence {
 public:
  // What is compared: `of` a job (NaN: it has none; s, or the unit of the metric), and whether larger ones
  // are better.
  struct Numbers {
    std::function<double(const SweepRows::Job&)> of;
    bool larger_is_better = false;
    bool are_times = true;  // medians in seconds: results of earlier sweeps are used, too
    OfDisturbance disturbance = OfDisturbance::adds_time;
  };
  // `candidates`, `of_job`: as candidates_of gives them; of the candidates the last ones may be left out.
  // `disturbed`: the results that were measured under disturbance. Error: the database cannot be read.
  static Result<BestEvidence> gather(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                     std::span<const Candidate> candidates,
                                     std::span<const std::uint32_t> of_job,
                                     const DisturbedResults& disturbed, const Numbers& numbers);

  // Whether every process of the candidate has a number above zero; other candidates get no verdict.
  bool known(std::uint32_t candidate) const { return unknown_[candidate] == 0; }
  // Logarithms of the processes' numbers, negated if larger ones are better. Valid as long as this object.
  std::span<const double> logs(std::uint32_t candidate) const { return part(logs_, candidate); }
  WayTimes way(std::uint32_t candidate) const;
  std::size_t disturbed(std::uint32_t candidate) const;  // number of its disturbed processes
  // The groups of its processes; none if a number is not known.
  Split split(std::uint32_t candidate) const;
  const ProcessSpread& spread() const { return spread_; }

 private:
  BestEvidence() = default;
  template <class T>
  std::span<const T> part(const std::vector<T>& all, std::uint32_t candidate) const {
    if (all.empty()) return {};
    return std::span(all).subspan(begins_[candidate], begins_[candidate + 1] - begins_[candidate]);
  }

  std::vector<double> undisturbed(std::uint32_t candidate) const;  // its logs without disturbance

  std::vector<std::size_t> begins_;  // start of each candidate's logs, and the end
  std::vector<double> logs_, lows_;  // WayTimes; lows_ is empty without disturbances
  std::vector<std::uint32_t> blocks_;
  std::vector<char> unknown_;
  std::vector<std::uint32_t> strata_;  // of each candidate
  std::vector<double> mean_logs_;      // of each candidate
  ProcessSpread spread_;
};

}  // namespace kernsweep
