#include "results/answer/contests.hpp"

#include <algorithm>
#include <map>

#include "results/answer/best/best_groups.hpp"
#include "results/roofs/implausible.hpp"
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

class Contests {
 public:
  Contests(const SweepRows& rows, const BestGroups& groups)
      : rows_(rows), groups_(groups), seconds_(seconds_of_points(groups)) {}

  Contest of_problem(const Group& group) const {
    std::vector<std::uint32_t> points = {point_of(group.leader)};
    for (const std::uint32_t each : group.open) points.push_back(point_of(each));
    return made(points, group.processes_needed);
  }

  Contest of_claim(const JudgedClaim& claim) const {
    std::vector<std::uint32_t> points;
    for (const SweepRows::Job& job : rows_.jobs)
      if (std::ranges::binary_search(claim.open, job.result)) points.push_back(job.point);
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    return made(points, claim.needed);
  }

 private:
  std::uint32_t point_of(std::uint32_t candidate) const { return groups_.candidates()[candidate].point; }

  Contest made(const std::vector<std::uint32_t>& points, std::size_t needed) const {
    Contest contest{.needed = needed};
    for (const std::uint32_t point : points) {
      contest.points.push_back(rows_.positions[point]);
      if (const auto found = seconds_.find(point); found != seconds_.end())
        contest.process_s += found->second;
    }
    return contest;
  }

  const SweepRows& rows_;
  const BestGroups& groups_;
  std::map<std::uint32_t, double> seconds_;
};

Status add_claims(Reader& reader, SweepId id, const std::vector<ClaimTask>& tasks, const Contests& contests,
                  SweepContests& out) {
  ClaimsQuestion question;
  question.sweep = name_by_number(id);
  KS_ASSIGN_OR_RETURN(const auto judged, judge(reader, tasks, question));
  out.claims = judged.claims.size();
  for (const JudgedClaim& claim : judged.claims) {
    if (claim.verdict != ClaimVerdict::undecided) continue;
    Contest contest = contests.of_claim(claim);
    if (contest.points.empty())
      ++out.stuck;
    else
      out.open_claims.push_back(std::move(contest));
  }
  return Done{};
}

}  // namespace

EvidenceRules rules_for(const SweepRecord& record, EvidenceRules rules) {
  if (record.processes_least > 0 && record.processes_least < record.processes) rules.alpha *= kLookShare;
  return rules;
}

Result<SweepContests> contests_of(Reader& reader, SweepId id, const std::vector<ClaimTask>& claims) {
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
  SweepContests out;
  const Contests contests(rows, groups);
  for (Group& group : groups.groups()) {
    groups.compete(group);
    if (group.verdict != ContestVerdict::alone) ++out.problems;
    if (group.verdict == ContestVerdict::leads) out.open_problems.push_back(contests.of_problem(group));
  }
  if (!claims.empty()) KS_RETURN_IF_ERROR(add_claims(reader, id, claims, contests, out));
  for (const SweepRows::Job& job : rows.jobs)
    (job.process < sweep.record.processes_least ? out.first_s : out.more_s) += job.extra;
  return out;
}

}  // namespace kernsweep
