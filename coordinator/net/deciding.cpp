#include "coordinator/net/deciding.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "coordinator/net/claim_tasks.hpp"
#include "coordinator/net/shell.hpp"
#include "language/file/claims.hpp"
#include "results/answer/contests.hpp"
#include "results/read/reader.hpp"
#include "shared/base/try.hpp"

namespace kernsweep::coordinator {
namespace {

Result<SweepContests> read_contests(const ContestQuestion& question) {
  KS_ASSIGN_OR_RETURN(auto reader, Reader::open(question.database));
  KS_ASSIGN_OR_RETURN(const auto stored, reader.find_sweep(name_by_number(question.sweep)));
  KS_ASSIGN_OR_RETURN(auto claims, claims_of_text(stored.record.text, stored.record.file));
  return contests_of(reader, question.sweep, tasks_of(std::move(claims)));
}

Decision decision_of(const SweepContests& seen, const ContestQuestion& question) {
  DecideState state{.asked = question.asked, .most = question.most, .out_of_time = question.out_of_time};
  const double budget_s =
      question.budget_s > 0 ? question.budget_s : std::max(seen.first_s, kFurtherLeast_s);
  if (question.budget_jobs > 0) {
    state.left_s = std::numeric_limits<double>::infinity();
    state.left_jobs = question.budget_jobs - std::min(question.budget_jobs, question.further_jobs);
  } else {
    state.left_s = std::max(budget_s - seen.more_s, 0.0);
  }
  state.jobs_of_process = question.jobs_of_process;
  state.problems = seen.problems;
  state.claims = seen.claims;
  state.stuck = seen.stuck;
  std::vector<OpenContest> open;
  for (const Contest& each : seen.open_problems)
    open.push_back({each.points, each.needed, each.process_s, false});
  for (const Contest& each : seen.open_claims)
    open.push_back({each.points, each.needed, each.process_s, true});
  return decide_next(open, state);
}

}  // namespace

std::optional<ContestAnswer> look_at_contests(const ContestQuestion& question) {
  const auto seen = read_contests(question);
  ContestAnswer answer{question.sweep, {question.asked, question.asked, {}, ""}, 0};
  if (!seen) {
    answer.round.why =
        "the stored results could not be read, so no more processes are added: " + seen.error().message;
    return answer;
  }
  answer.open = seen->open_problems.size() + seen->open_claims.size();
  Decision next = decision_of(*seen, question);
  answer.round = {next.from, next.until, std::move(next.points), std::move(next.why)};
  return answer;
}

void Shell::act(const AskMore& order) {
  RunningSweep& sweep = *running_sweep(order.sweep);
  const Sweep& about = sweep.expansion->sweep();
  const std::uint32_t asked = sweep.space.asked_processes();
  decider_.ask({order.sweep, config_.database, asked, about.processes, sweep.space.blocks() > 0,
                seconds(about.budget.time), about.budget.jobs, sweep.space.further_jobs(),
                static_cast<std::uint32_t>(about.caches.size())});
}

void Shell::look_at_decisions() {
  for (ContestAnswer& each : decider_.take()) {
    RunningSweep* const sweep = running_sweep(each.sweep);
    if (!sweep) continue;
    sweep->open = each.open;
    store_->post_asked(each.sweep, std::move(each.round));
  }
}

// The decision is committed.
void Shell::on_asked(SweepId id, const AskedRound& round) {
  RunningSweep* const sweep = running_sweep(id);
  if (!sweep) return;
  sweep->decided = round.why;
  if (round.from == round.until) {
    sweep->nothing_more = true;
    return apply(NothingMore{id});
  }
  if (id == own_sweep_) watcher_.note(round.why);
  sweep->space.ask(round);
  apply(JobsAsked{id, sweep->space.asked()});
}

}  // namespace kernsweep::coordinator
