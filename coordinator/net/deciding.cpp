#include "coordinator/net/deciding.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "coordinator/net/shell.hpp"
#include "results/answer/contests.hpp"
#include "results/read/reader.hpp"
#include "shared/base/try.hpp"

namespace kernsweep::coordinator {
namespace {

Result<SweepContests> read_contests(const ContestQuestion& question) {
  KS_ASSIGN_OR_RETURN(auto reader, Reader::open(question.database));
  return contests_of(reader, question.sweep);
}

Decision decision_of(const SweepContests& seen, const ContestQuestion& question) {
  DecideState state{.asked = question.asked, .most = question.most, .out_of_time = question.out_of_time};
  const double budget_s =
      question.budget_s > 0 ? question.budget_s : std::max(seen.first_s, kFurtherLeast_s);
  state.left_s = std::max(budget_s - seen.more_s, 0.0);
  std::vector<OpenContest> open;
  for (const ProblemContest& each : seen.problems) {
    if (each.verdict == ContestVerdict::alone) continue;
    ++state.problems;
    if (each.verdict == ContestVerdict::leads) open.push_back({each.open, each.needed, each.process_s});
  }
  return decide_next(open, state);
}

}  // namespace

std::optional<ContestAnswer> look_at_contests(const ContestQuestion& question) {
  const auto seen = read_contests(question);
  ContestAnswer answer{question.sweep, {question.asked, question.asked, {}, ""}};
  if (!seen) {
    answer.round.why = "what was measured could not be read: " + seen.error().message;
    return answer;
  }
  Decision next = decision_of(*seen, question);
  answer.round = {next.from, next.until, std::move(next.points), std::move(next.why)};
  return answer;
}

void Shell::act(const AskMore& order) {
  RunningSweep& sweep = *running_sweep(order.sweep);
  const Sweep& about = sweep.expansion->sweep();
  const std::uint32_t asked = sweep.space.asked_processes();
  decider_.ask({order.sweep, config_.database, asked, about.processes, sweep.space.blocks() > 0,
                seconds(about.decide_time)});
}

void Shell::look_at_decisions() {
  for (ContestAnswer& each : decider_.take())
    if (running_sweep(each.sweep)) store_->post_asked(each.sweep, std::move(each.round));
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
