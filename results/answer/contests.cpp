#include "results/answer/contests.hpp"

#include <algorithm>
#include <map>

#include "results/answer/best_groups.hpp"
#include "results/roofs/not_believed.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr const char* kSecondsOfProcess =
    "coalesce(r.start_s, 0) + coalesce(r.setup_s, 0) + coalesce(r.run_s, 0) + coalesce(r.check_s, 0)";

// What one process of each point takes, in all states of the caches and on all kinds of host together: a
// point is measured further in all of them. By index into SweepRows::positions.
std::map<std::uint32_t, double> seconds_of_points(const BestGroups& groups) {
  std::map<std::uint32_t, double> sums;
  for (const Candidate& each : groups.candidates()) sums[each.point] += each.extra;
  return sums;
}

ProblemContest contest_of(const SweepRows& rows, const BestGroups& groups, const Group& group,
                          const std::map<std::uint32_t, double>& seconds) {
  ProblemContest contest{.verdict = group.verdict};
  if (group.verdict != ContestVerdict::leads) return contest;
  contest.needed = group.processes_needed;
  const auto add = [&](std::uint32_t of) {
    const std::uint32_t point = groups.candidates()[of].point;
    contest.open.push_back(rows.positions[point]);
    contest.process_s += seconds.at(point);
  };
  add(group.leader);
  std::ranges::for_each(group.open, add);
  return contest;
}

}  // namespace

EvidenceRules rules_for(const SweepRecord& record, EvidenceRules rules) {
  if (record.processes_least > 0 && record.processes_least < record.processes) rules.alpha *= kLookShare;
  return rules;
}

Result<SweepContests> contests_of(Reader& reader, SweepId id) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(name_by_number(id)));
  KS_ASSIGN_OR_RETURN(auto columns, reader.columns(sweep.id));
  std::erase_if(columns, [](const SweepColumn& column) { return column.derived && !column.problem; });
  KS_ASSIGN_OR_RETURN(const auto rows, read_graded_rows(reader, sweep, columns, kSecondsOfProcess));
  std::vector<std::size_t> by;
  for (std::size_t c = 0; c < rows.columns.size(); ++c)
    if (rows.columns[c].problem) by.push_back(c);
  BestQuestion question;
  question.rules = rules_for(sweep.record, question.rules);
  BestAnswer said;
  KS_ASSIGN_OR_RETURN(auto groups, BestGroups::make(reader, sweep, rows, by, question, said));
  SweepContests contests;
  const auto seconds = seconds_of_points(groups);
  for (Group& group : groups.groups()) {
    groups.compete(group);
    contests.problems.push_back(contest_of(rows, groups, group, seconds));
  }
  for (const SweepRows::Job& job : rows.jobs)
    (job.process < sweep.record.processes_least ? contests.first_s : contests.more_s) += job.extra;
  return contests;
}

}  // namespace kernsweep
