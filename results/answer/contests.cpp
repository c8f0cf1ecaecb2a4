#include "results/answer/contests.hpp"

#include <algorithm>
#include <string>

#include "results/answer/best_groups.hpp"
#include "results/roofs/not_believed.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr const char* kSecondsOfProcess =
    "coalesce(r.start_s, 0) + coalesce(r.setup_s, 0) + coalesce(r.run_s, 0) + coalesce(r.check_s, 0)";

ProblemContest contest_of(const SweepRows& rows, const BestGroups& groups, const Group& group) {
  ProblemContest contest{.verdict = group.verdict};
  if (group.verdict != ContestVerdict::leads) return contest;
  contest.needed = group.processes_needed;
  contest.processes = UINT32_MAX;
  const auto add = [&](std::uint32_t of) {
    const Candidate& candidate = groups.candidates()[of];
    contest.open.push_back(rows.positions[candidate.point]);
    contest.processes = std::min(contest.processes, candidate.processes);
    contest.process_s += candidate.extra;
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
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(std::to_string(id.value)));
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
  for (Group& group : groups.groups()) {
    groups.compete(group);
    contests.problems.push_back(contest_of(rows, groups, group));
  }
  for (const SweepRows::Job& job : rows.jobs)
    (job.process < sweep.record.processes_least ? contests.first_s : contests.more_s) += job.extra;
  return contests;
}

}  // namespace kernsweep
