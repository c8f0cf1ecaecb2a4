#include "coordinator/policy/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

// "3 of 4 problems": `open` of `all` are not decided.
std::string part_of(std::uint64_t all, std::uint64_t open, const char* one, const char* many) {
  if (open > 0) return fmt::format("{} of {}", all - open, counted(all, one, many));
  return all == 1 ? fmt::format("the {}", one) : fmt::format("all {}", counted(all, one, many));
}

// "3 of 4 problems and all 2 claims are decided"
std::string text_of_decided(std::span<const OpenContest> open, const DecideState& state) {
  const auto claims = static_cast<std::uint64_t>(std::ranges::count_if(open, &OpenContest::is_claim));
  const std::uint64_t problems = open.size() - claims, undecided = claims + state.stuck;
  if (state.problems + state.claims == 0) return "";
  if (state.problems + state.claims == 1)
    return fmt::format("the {} is {}decided{}", state.problems == 1 ? "problem" : "claim",
                       problems + undecided == 0 ? "" : "not ",
                       state.stuck > 0 ? ", and further processes cannot decide it" : "");
  std::string text;
  if (state.problems > 0) text = part_of(state.problems, problems, "problem", "problems");
  if (state.problems > 0 && state.claims > 0) text += " and ";
  if (state.claims > 0) text += part_of(state.claims, undecided, "claim", "claims");
  text += " are decided";
  if (state.stuck > 0)
    text += fmt::format("; further processes cannot decide {}", counted(state.stuck, "claim", "claims"));
  return text;
}

// "2 would", or "it would" for a single one.
std::string these_would(std::size_t count, const DecideState& state) {
  return state.problems + state.claims == 1 ? "it would" : fmt::format("{} would", count);
}

}  // namespace

Decision decide_next(std::span<const OpenContest> open, const DecideState& state) {
  Decision decision{.from = state.asked, .until = state.asked};
  decision.why = text_of_decided(open, state);
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
  std::ranges::stable_sort(
      worth, {}, [](const OpenContest* each) { return std::pair(!each->is_claim, each->process_s); });
  double left_s = state.left_s;
  std::uint64_t left_jobs = state.left_jobs;
  std::size_t taken = 0;
  for (const OpenContest* const contest : worth) {
    const double takes_s = contest->process_s * (until - state.asked);
    const std::uint64_t jobs = contest->points.size() * (until - state.asked) * state.jobs_of_process;
    if (takes_s > left_s || jobs > left_jobs) break;
    left_s -= takes_s;
    left_jobs -= jobs;
    ++taken;
    decision.points.insert(decision.points.end(), contest->points.begin(), contest->points.end());
  }
  if (hopeless > 0)
    decision.why += fmt::format("; {} need more than {} processes a point", these_would(hopeless, state),
                                static_cast<std::uint32_t>(kForeseenMost * state.most));
  if (taken < worth.size())
    decision.why += fmt::format("; {} take more than what is left of measure.processes.budget",
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
