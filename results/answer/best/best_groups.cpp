#include "results/answer/best/best_groups.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <unordered_set>

#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

OfDisturbance what_disturbance_does(BestMetric metric) {
  if (metric <= BestMetric::gbps) return OfDisturbance::adds_time;
  return metric == BestMetric::peak_memory_bytes ? OfDisturbance::nothing : OfDisturbance::unknown;
}

}  // namespace

Result<BestGroups> BestGroups::make(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                    const std::vector<std::size_t>& by, const BestQuestion& question,
                                    BestAnswer& answer) {
  BestGroups groups(rows, question, better_in(question));
  const auto is_worse = [&](const SweepRows::Job& job) { return !groups.good_enough(job); };
  if (std::ranges::any_of(rows.jobs, is_worse)) {
    KS_ASSIGN_OR_RETURN(groups.disturbed_results_, read_disturbed(reader, sweep.id));
  }
  const std::vector<std::uint32_t> of_job = groups.enter(answer);
  KS_ASSIGN_OR_RETURN(
      auto evidence,
      BestEvidence::gather(reader, sweep, rows, groups.candidates_, of_job, groups.disturbed_results_,
                           {.of = [&](const SweepRows::Job& job) { return groups.metric(job); },
                            .larger_is_better = groups.larger_is_better_,
                            .are_times = question.metric == BestMetric::median_s,
                            .disturbance = what_disturbance_does(question.metric)}));
  groups.evidence_.emplace(std::move(evidence));
  groups.fill(by, answer);
  groups.find_several();
  KS_ASSIGN_OR_RETURN(groups.same_builds_, SameBuilds::of(reader, sweep));
  return groups;
}

// The points with a result that counts.
std::vector<std::uint32_t> BestGroups::enter(BestAnswer& answer) {
  answer.jobs = rows_->read;
  answer.left_out_failed = rows_->not_ok;
  answer.implausible = rows_->implausible;
  for (const SweepRows::Job& job : rows_->jobs) {
    if (std::isnan(metric(job)))
      ++answer.left_out_without;
    else if (!counts(job))
      ++answer.left_out_grade;
    else if (!good_enough(job))
      ++answer.disturbed_jobs;
  }
  std::vector<std::uint32_t> of_job;
  candidates_ = candidates_of(
      *rows_, [this](const SweepRows::Job& job) { return counts(job); }, of_job);
  disturbed_.assign(candidates_.size(), answer.disturbed_jobs > 0 ? 1 : 0);
  if (answer.disturbed_jobs == 0) return of_job;
  std::unordered_set<std::uint64_t> quiet;  // points and places
  for (const SweepRows::Job& job : rows_->jobs)
    if (counts(job) && good_enough(job)) quiet.insert(place_key(job));
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    if (quiet.contains(place_key(candidates_[i]))) disturbed_[i] = 0;
    answer.disturbed_points += disturbed_[i] != 0 ? 1 : 0;
  }
  return of_job;
}

bool BestGroups::good_enough(const SweepRows::Job& job) const {
  return job.grade == 0 || job.grade <= question_->worst_grade;
}

// Whether the job counts for its candidate. A job that was measured under disturbance counts, with the time
// that it may have added.
bool BestGroups::counts(const SweepRows::Job& job) const {
  if (std::isnan(metric(job))) return false;
  return counts_by_grade(job, question_->worst_grade, disturbed_results_);
}

Interval BestGroups::bounds(std::uint32_t candidate) const {
  if (!evidence_->known(candidate)) return {kUnknown, kUnknown};
  Interval found = bounds_of(evidence_->way(candidate), question_->rules.alpha);
  if (larger_is_better_) found = {1 / found.high, 1 / found.low};
  const double median = metric(candidates_[candidate]);
  return {std::min(found.low, median), std::max(found.high, median)};
}

bool BestGroups::better(std::uint32_t a, std::uint32_t b) const {
  if (b == kNone) return true;
  const double x = metric(candidates_[a]), y = metric(candidates_[b]);
  if (x != y) return larger_is_better_ ? x > y : x < y;
  return rows_->positions[candidates_[a].point] < rows_->positions[candidates_[b].point];
}

std::vector<std::uint32_t> BestGroups::keys_of(const std::vector<Candidate>& candidates,
                                               const std::vector<std::size_t>& by) const {
  std::vector<std::uint32_t> keys;
  keys.reserve((by.size() + 1) * candidates.size());
  for (const Candidate& candidate : candidates) {
    for (const std::size_t column : by) keys.push_back(rows_->code(candidate.point, column));
    keys.push_back(rows_->places[candidate.place].spot);
  }
  return keys;
}

// Groups by the values of `by` and by the spot.
void BestGroups::fill(const std::vector<std::size_t>& by, BestAnswer& answer) {
  const std::size_t width = by.size() + 1;
  const std::vector<std::uint32_t> keys = keys_of(candidates_, by);
  RowNumbers numbers(width, width);
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    const std::uint32_t group = numbers.number(&keys[i * width]);
    if (group == groups_.size()) groups_.emplace_back();
    groups_[group].members.push_back(i);
  }
  answer.everywhere.assign(by.size(), 1);
  for (std::size_t i = 0; i < keys.size(); i += width)
    for (std::size_t c = 0; c < by.size(); ++c)
      if (keys[i + c] != keys[c]) answer.everywhere[c] = 0;
  if (answer.left_out_grade == 0) return;
  const auto is_lost = [this](const SweepRows::Job& job) {
    return !std::isnan(metric(job)) && !counts(job);
  };
  std::vector<std::uint32_t> of_job;
  const std::vector<std::uint32_t> lost = keys_of(candidates_of(*rows_, is_lost, of_job), by);
  for (std::size_t i = 0; i < lost.size(); i += width) numbers.number(&lost[i]);
  answer.lost_groups = numbers.size() - groups_.size();
}

void BestGroups::find_several() {
  const std::vector<char> several = of_several_software(*rows_, candidates_);
  for (std::uint32_t i = 0; i < several.size(); ++i)
    if (several[i] != 0) several_[spot_of(candidates_[i])].push_back(i);
  std::erase_if(several_, [](const auto& spot) { return spot.second.size() < 2; });
}

// The members that compete: for a point that several pieces of software have measured, the best; for points
// that run one built file in one way, the first.
std::vector<std::uint32_t> BestGroups::rivals(Group& group) const {
  std::map<std::uint32_t, std::uint32_t> of_point;
  for (const std::uint32_t i : group.members) {
    const auto [at, added] = of_point.try_emplace(candidates_[i].point, i);
    if (!added && better(i, at->second)) at->second = i;
  }
  std::vector<std::uint32_t> kept, members = group.members;
  if (!same_builds_.empty())
    std::ranges::stable_sort(members, {},
                             [this](std::uint32_t i) { return rows_->positions[candidates_[i].point]; });
  std::map<std::uint64_t, std::uint32_t> first_of_run;
  for (const std::uint32_t i : members) {
    if (of_point[candidates_[i].point] != i) continue;
    const std::uint64_t run = same_builds_.run_of(candidates_[i].result);
    const auto [first, is_first] = first_of_run.try_emplace(run, i);
    if (run == 0 || is_first)
      kept.push_back(i);
    else
      group.same_builds[first->second].push_back(i);
  }
  return kept;
}

void BestGroups::compete(Group& group) const {
  std::vector<std::uint32_t> ways = rivals(group);
  // At equal numbers the earlier point comes first.
  std::ranges::stable_sort(ways, {},
                           [this](std::uint32_t i) { return rows_->positions[candidates_[i].point]; });
  std::vector<std::uint32_t> judged;
  for (const std::uint32_t i : ways) (evidence_->known(i) ? judged : group.not_judged).push_back(i);
  if (!judged.empty()) decide_between(judged, group);
  for (const std::uint32_t i : group.not_judged)
    if (better(i, group.winner)) group.winner = i;
  const auto variant = [&](std::uint32_t i) { return rows_->code(candidates_[i].point, rows_->variant); };
  for (const std::uint32_t i : ways) {
    if (i == group.winner) continue;
    std::uint32_t& second = variant(i) != variant(group.winner) ? group.other_variant : group.other_point;
    if (better(i, second)) second = i;
  }
}

void BestGroups::decide_between(const std::vector<std::uint32_t>& rivals, Group& group) const {
  std::vector<WayTimes> ways;
  for (const std::uint32_t i : rivals) {
    ways.push_back(evidence_->way(i));
    const double number = metric(candidates_[i]);
    ways.back().rank = larger_is_better_ ? -number : number;
  }
  ContestResult result = decide(ways, evidence_->spread(), question_->rules);
  group.winner = group.leader = rivals[result.leader];
  group.verdict = result.verdict;
  group.processes_needed = result.processes_needed;
  group.equal_within = result.equal_within;
  for (const std::size_t i : std::span(result.set).subspan(1)) group.set.push_back(rivals[i]);
  for (const std::size_t i : result.open) group.open.push_back(rivals[i]);
}

}  // namespace kernsweep
