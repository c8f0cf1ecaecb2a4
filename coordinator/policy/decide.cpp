#include "coordinator/policy/decide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared/text/counted.hpp"

namespace kernsweep::coordinator {

namespace {

std::uint32_t next_look(const DecideState& state) {
  for (const std::uint32_t look : kLooks)
    if (look > state.asked) return std::min(look, state.most);
  return state.most;
}

bool is_hopeless(const OpenContest& contest, const DecideState& state) {
  const double most = kForeseenMost * state.most;
  return state.asked >= kForeseenFrom &&
         (contest.needed == 0 || static_cast<double>(contest.needed) > most);
}

// "3 of 4 problems are decided"
std::string text_of_decided(std::size_t open, const DecideState& state) {
  if (state.problems == 0) return "";
  if (state.problems == 1) return open == 0 ? "the problem is decided" : "the problem is not decided";
  return open == 0 ? fmt::format("all {} problems are decided", state.problems)
                   : fmt::format("{} of {} problems are decided", state.problems - open, state.problems);
}

// "2 would", or "it would" of a single problem.
std::string these_would(std::size_t count, const DecideState& state) {
  return state.problems == 1 ? "it would" : fmt::format("{} would", count);
}

}  // namespace

Decision decide_next(std::span<const OpenContest> open, const DecideState& state) {
  Decision decision{.from = state.asked, .until = state.asked};
  decision.why = text_of_decided(open.size(), state);
  if (open.empty()) return decision;
  if (state.asked >= state.most) {
    decision.why += fmt::format("; points have the most processes that they may ({})", state.most);
    return decision;
  }
  if (state.out_of_time) {
    decision.why += "; a point has taken as long as it may (15 s)";
    return decision;
  }
  const std::uint32_t until = next_look(state);
  std::vector<const OpenContest*> worth;
  for (const OpenContest& contest : open)
    if (!is_hopeless(contest, state)) worth.push_back(&contest);
  const std::size_t hopeless = open.size() - worth.size();
  std::ranges::stable_sort(worth, {}, &OpenContest::process_s);
  double left_s = state.left_s;
  std::size_t taken = 0;
  for (const OpenContest* const contest : worth) {
    const double takes_s = contest->process_s * (until - state.asked);
    if (takes_s > left_s) break;
    left_s -= takes_s;
    ++taken;
    decision.points.insert(decision.points.end(), contest->points.begin(), contest->points.end());
  }
  if (hopeless > 0)
    decision.why += fmt::format("; {} need more than {} processes a point", these_would(hopeless, state),
                                static_cast<std::uint32_t>(kForeseenMost * state.most));
  if (taken < worth.size())
    decision.why += fmt::format("; {} take longer than what is left of measure.processes.budget",
                                these_would(worth.size() - taken, state));
  if (taken == 0) return decision;
  decision.until = until;
  std::ranges::sort(decision.points);
  decision.points.erase(std::unique(decision.points.begin(), decision.points.end()), decision.points.end());
  decision.why += fmt::format("; processes {} to {} of {} follow", state.asked + 1, until,
                              counted(decision.points.size(), "point", "points"));
  return decision;
}

}  // namespace kernsweep::coordinator
