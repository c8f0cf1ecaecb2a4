#include "results/answer/best/best_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "results/answer/stored_spread.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// Points with the same number of threads in the same spot may be expected to vary alike.
std::vector<std::uint32_t> strata_of(const SweepRows& rows, std::span<const Candidate> candidates) {
  const std::size_t threads = rows.column_named("threads");
  std::vector<std::uint32_t> strata;
  for (const Candidate& candidate : candidates) {
    const std::uint32_t code = threads == rows.columns.size() ? 0 : rows.code(candidate.point, threads);
    strata.push_back((code << 16) | rows.places[candidate.place].spot);
  }
  return strata;
}

}  // namespace

Result<BestEvidence> BestEvidence::gather(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                          std::span<const Candidate> candidates,
                                          std::span<const std::uint32_t> of_job,
                                          const DisturbedResults& disturbed, const Numbers& numbers) {
  BestEvidence evidence;
  evidence.begins_.assign(candidates.size() + 1, 0);
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    evidence.begins_[i + 1] = evidence.begins_[i] + candidates[i].processes;
  }
  evidence.unknown_.assign(candidates.size(), 0);
  evidence.logs_.resize(evidence.begins_.back());
  evidence.blocks_.resize(evidence.begins_.back());
  const bool add_time = numbers.disturbance == OfDisturbance::adds_time;
  if (!disturbed.empty() && numbers.disturbance != OfDisturbance::nothing)
    evidence.lows_.resize(evidence.begins_.back());
  std::vector<std::size_t> next(evidence.begins_.begin(), evidence.begins_.end() - 1);
  for (std::size_t i = 0; i < rows.jobs.size(); ++i) {
    const std::uint32_t of = of_job[i];
    if (of >= candidates.size()) continue;
    const SweepRows::Job& job = rows.jobs[i];
    const std::size_t at = next[of]++;
    const double number = numbers.of(job);
    const double log = number > 0 && std::isfinite(number) ? std::log(number) : 0;
    if (!(number > 0) || !std::isfinite(number)) evidence.unknown_[of] = 1;
    evidence.logs_[at] = numbers.larger_is_better ? -log : log;
    evidence.blocks_[at] = job.process;
    if (evidence.lows_.empty()) continue;
    const auto cost = disturbed.find(job.result);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    evidence.lows_[at] = cost == disturbed.end() ? evidence.logs_[at]
                         : add_time              ? evidence.logs_[at] - cost->second
                                                 : -kInfinity;
  }
  evidence.strata_ = strata_of(rows, candidates);
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    const auto logs = evidence.logs(i);
    double sum = 0;
    for (const double log : logs) sum += log;
    evidence.mean_logs_.push_back(logs.empty() ? 0 : sum / static_cast<double>(logs.size()));
    if (!evidence.known(i)) continue;
    const std::vector<double> quiet = evidence.undisturbed(i);
    if (!quiet.empty()) evidence.spread_.add(quiet, evidence.strata_[i]);
  }
  if (numbers.are_times) KS_RETURN_IF_ERROR(add_earlier_sweeps(reader, sweep, rows, evidence.spread_));
  evidence.spread_.fit();
  return evidence;
}

std::size_t BestEvidence::disturbed(std::uint32_t candidate) const {
  return logs(candidate).size() - undisturbed(candidate).size();
}

std::vector<double> BestEvidence::undisturbed(std::uint32_t candidate) const {
  const auto all = logs(candidate), least = part(lows_, candidate);
  std::vector<double> quiet;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (least.empty() || least[i] >= all[i]) quiet.push_back(all[i]);
  return quiet;
}

Split BestEvidence::split(std::uint32_t candidate) const {
  return known(candidate) ? split_of(logs(candidate)) : Split{};
}

WayTimes BestEvidence::way(std::uint32_t candidate) const {
  return {.logs = logs(candidate),
          .expected = spread_.expected(strata_[candidate], mean_logs_[candidate]),
          .lows = part(lows_, candidate),
          .blocks = part(blocks_, candidate)};
}

}  // namespace kernsweep
