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
// What the hosts of this sweep measured in the sweeps before it, without the results that this sweep has
// taken over.
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

// Points with the same number of threads in the same spot may be expected to vary alike.
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

// Which candidate the jobs of a point in a place belong to: by a table where that is small, else by a hash.
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

Result<BestEvidence::Disturbed> BestEvidence::read_disturbed(Reader& reader, SweepId sweep) {
  Disturbed disturbed;
  KS_RETURN_IF_ERROR(reader.connection().each_row(
      {"o.result", "r.min_s"},
      fmt::format("from outcome o join attempt_row r on r.result = o.result where o.sweep_id = {} and "
                  "o.grade = 'C' and r.doubt_cause is not null and r.min_s > 0",
                  sweep.value),
      [&](const sqlite::Row& row) {
        disturbed[static_cast<std::uint64_t>(row.integer(0))] = std::log(row.real(1));
      }));
  return disturbed;
}

Result<BestEvidence> BestEvidence::gather(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                          std::span<const Candidate> candidates,
                                          std::span<const char> is_disturbed, const Disturbed& disturbed,
                                          const Numbers& numbers) {
  BestEvidence evidence;
  const CandidateAt candidate_at(rows, candidates);
  evidence.begins_.assign(candidates.size() + 1, 0);
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    evidence.begins_[i + 1] = evidence.begins_[i] + candidates[i].processes;
  }
  evidence.unknown_.assign(candidates.size(), 0);
  evidence.disturbed_.assign(is_disturbed.begin(), is_disturbed.end());
  // Of other numbers than times the best case is not known.
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  evidence.best_case_logs_.assign(candidates.size(), numbers.are_times ? kInfinity : -kInfinity);
  evidence.logs_.resize(evidence.begins_.back());
  std::vector<std::size_t> next(evidence.begins_.begin(), evidence.begins_.end() - 1);
  for (const SweepRows::Job& job : rows.jobs) {
    if (!numbers.kept(job)) continue;
    const std::uint32_t at = candidate_at.of(job);
    if (at == kNoCandidate || next[at] == evidence.begins_[at + 1]) continue;
    const double number = numbers.of(job);
    const double log = number > 0 && std::isfinite(number) ? std::log(number) : 0;
    if (!(number > 0) || !std::isfinite(number)) evidence.unknown_[at] = 1;
    evidence.logs_[next[at]++] = numbers.larger_is_better ? -log : log;
    const auto fastest = disturbed.find(job.result);
    if (evidence.disturbed_[at] != 0 && numbers.are_times && fastest != disturbed.end())
      evidence.best_case_logs_[at] = std::min(evidence.best_case_logs_[at], fastest->second);
  }
  evidence.strata_ = strata_of(rows, candidates);
  for (std::uint32_t i = 0; i < candidates.size(); ++i) {
    const auto logs = evidence.logs(i);
    double sum = 0;
    for (const double log : logs) sum += log;
    evidence.mean_logs_.push_back(logs.empty() ? 0 : sum / static_cast<double>(logs.size()));
    if (evidence.known(i) && evidence.disturbed_[i] == 0) evidence.spread_.add(logs, evidence.strata_[i]);
  }
  if (numbers.are_times) KS_RETURN_IF_ERROR(add_earlier(reader, sweep, rows, evidence.spread_));
  evidence.spread_.fit();
  return evidence;
}

std::span<const double> BestEvidence::logs(std::uint32_t candidate) const {
  return std::span(logs_).subspan(begins_[candidate], begins_[candidate + 1] - begins_[candidate]);
}

Split BestEvidence::split(std::uint32_t candidate) const {
  return known(candidate) ? split_of(logs(candidate)) : Split{};
}

WayTimes BestEvidence::way(std::uint32_t candidate) const {
  return {.logs = logs(candidate),
          .expected = spread_.expected(strata_[candidate], mean_logs_[candidate]),
          .disturbed = disturbed_[candidate] != 0,
          .best_case_log = best_case_logs_[candidate]};
}

}  // namespace kernsweep
