#include "results/answer/best_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_set>

#include "results/answer/stored_spread.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr std::uint32_t kNoCandidate = UINT32_MAX;
// Adds what the hosts of this sweep measured in earlier sweeps, without the results that this sweep has
// reused.
Status add_earlier(Reader& reader, const StoredSweep& sweep, const SweepRows& rows, ProcessSpread& spread) {
  std::set<std::int64_t> hosts;
  for (const SweepRows::Place& place : rows.places) hosts.insert(place.host_id);
  const auto own = [&] {
    std::unordered_set<std::uint64_t> results;
    for (const SweepRows::Job& job : rows.jobs) results.insert(job.result);
    return results;
  };
  return add_earlier_sweeps(reader, sweep, hosts, own, spread);
}

// Points with the same number of threads in the same spot are expected to vary alike.
std::vector<std::uint32_t> strata_of(const SweepRows& rows, std::span<const Candidate> candidates) {
  const auto threads = std::ranges::find(rows.columns, "threads", &SweepColumn::name);
  const auto column = static_cast<std::size_t>(threads - rows.columns.begin());
  std::vector<std::uint32_t> strata;
  for (const Candidate& candidate : candidates) {
    const std::uint32_t code = threads == rows.columns.end() ? 0 : rows.code(candidate.point, column);
    strata.push_back((code << 16) | rows.places[candidate.place].spot);
  }
  return strata;
}

// The candidate to which the jobs of a point in a place belong: from a table if that is small, else from a
// hash.
class CandidateAt {
 public:
  CandidateAt(const SweepRows& rows, std::span<const Candidate> candidates) : places_(rows.places.size()) {
    const std::size_t cells = rows.positions.size() * places_;
    if (cells <= 8 * rows.jobs.size()) table_.assign(cells, kNoCandidate);
    for (std::uint32_t i = 0; i < candidates.size(); ++i) {
      if (table_.empty())
        hash_.emplace(cell(candidates[i]), i);
      else
        table_[cell(candidates[i])] = i;
    }
  }
  std::uint32_t of(const SweepRows::Job& job) const {
    if (!table_.empty()) return table_[cell(job)];
    const auto found = hash_.find(cell(job));
    return found == hash_.end() ? kNoCandidate : found->second;
  }

 private:
  std::size_t cell(const auto& of) const { return of.point * places_ + of.place; }
  std::size_t places_;
  std::vector<std::uint32_t> table_;
  std::unordered_map<std::size_t, std::uint32_t> hash_;
};

}  // namespace

Result<BestEvidence> BestEvidence::gather(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                          std::span<const Candidate> candidates,
                                          const DisturbedResults& disturbed, const Numbers& numbers) {
  BestEvidence evidence;
  const CandidateAt candidate_at(rows, candidates);
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
  for (const SweepRows::Job& job : rows.jobs) {
    if (!numbers.kept(job)) continue;
    const std::uint32_t of = candidate_at.of(job);
    if (of == kNoCandidate || next[of] == evidence.begins_[of + 1]) continue;
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
  if (numbers.are_times) KS_RETURN_IF_ERROR(add_earlier(reader, sweep, rows, evidence.spread_));
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
