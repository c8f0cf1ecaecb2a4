#include "worker/slot/watch/disturbance.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kernsweep {
namespace {

// The cost of a switch in addition to the time that another thread has the core, and of a move to a core
// with cold caches: 32 MiB from memory at 32 GB/s.
constexpr double kSwitchS = 10e-6, kMoveS = 1e-3;

// The time of all threads of the process, and of its children.
double ran_of_the_job_s(const ThreadSchedule& from, const ThreadSchedule& to) {
  return to.all_ran_s + to.children_s - from.all_ran_s - from.children_s;
}

// Whether the measuring thread mostly waited, for a program or for a pool, or other threads of its process
// or its children computed, too: then threads of the job make each other move.
bool others_of_the_job_computed(const EdgeReading& before, const EdgeReading& after, double window_s) {
  const ThreadSchedule &from = before.schedule, &to = after.schedule;
  if (std::min({from.ran_s, to.ran_s, from.all_ran_s, to.all_ran_s}) < 0) return false;
  const double ran_s = to.ran_s - from.ran_s, all_ran_s = ran_of_the_job_s(from, to);
  return ran_s < window_s / 2 || all_ran_s - ran_s > kDisturbingShare * window_s;
}

// The time lost by switches; nothing: not known.
std::optional<double> lost_s(const EdgeReading& before, const EdgeReading& after, double window_s) {
  const ThreadSchedule &from = before.schedule, &to = after.schedule;
  const double all_ran_s = ran_of_the_job_s(from, to);
  const double bearable_s = kDisturbingShare * window_s;
  if (std::min({from.ran_s, from.waited_s, from.all_ran_s}) < 0) return std::nullopt;
  if (others_of_the_job_computed(before, after, window_s)) {
    // Threads and children of the process switch to each other, on the one core of the job. The rest of its
    // time is the most that others can have had. If they ran longer than that, they were on other cores,
    // too.
    const double left_s = to.at_s - from.at_s - all_ran_s;
    if (from.at_s < 0 || left_s < -bearable_s) return std::nullopt;
    return std::max(0.0, left_s);
  }
  const auto switches = after.involuntary_switches - before.involuntary_switches;
  return to.waited_s - from.waited_s + kSwitchS * static_cast<double>(switches);
}

// For a program on the core of its job. It also waits for this process, which starts it and reads its
// output.
WindowDisturbance by_program(const EdgeReading& before, const EdgeReading& after, double window_s,
                             const ProgramWait& programs) {
  const ThreadSchedule &from = before.schedule, &to = after.schedule;
  const double bearable_s = kDisturbingShare * window_s;
  if (programs.is_known) {
    const double own_s = std::min(from.all_ran_s, to.all_ran_s) < 0 ? 0 : to.all_ran_s - from.all_ran_s;
    if (programs.waited_s - own_s <= bearable_s) return {};
    return {Cause::switched, programs.waited_s, false};
  }
  // The time of the core that the processes and this one have not used is the most that they can have
  // waited for it. If they had been ready all the time, each would have had as large a share as each of the
  // others: a process that computes less than a fifth of the time has slept.
  constexpr double kComputes = 0.2;
  if (after.switches_of_children <= before.switches_of_children || from.at_s < 0 || from.all_ran_s < 0)
    return {};
  const double passed_s = to.at_s - from.at_s, ran_s = ran_of_the_job_s(from, to);
  if (ran_s < kComputes * passed_s) return {};
  const double left_s = passed_s - ran_s;
  return {Cause::none, left_s, left_s > bearable_s};
}

double lower_known(double a, double b) {
  if (a <= 0 || b <= 0) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace

std::string_view name_of(Cause cause) {
  return cause == Cause::none ? "none" : name_of(doubt_cause_of(cause));
}

std::string listed(const CauseCounts& counts) {
  std::string text;
  for (std::size_t cause = 1; cause < kCauses; ++cause) {
    if (counts[cause] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Cause>(cause))) + " " +
            std::to_string(counts[cause]);
  }
  return text;
}

WindowDisturbance DisturbanceRule::by_switches(const EdgeReading& before, const EdgeReading& after,
                                               double window_s) const {
  if (after.involuntary_switches <= before.involuntary_switches) return {};
  const double lost = lost_s(before, after, window_s).value_or(HUGE_VAL);
  return lost > kDisturbingShare * window_s ? WindowDisturbance{Cause::switched, lost, false}
                                            : WindowDisturbance{};
}

WindowDisturbance DisturbanceRule::judge(const EdgeReading& before, const EdgeReading& after,
                                         double reference_ghz, double window_s,
                                         const std::optional<ProgramWait>& programs) const {
  const double clock = lower_known(before.clock_ghz, after.clock_ghz);
  if (clock > 0 && reference_ghz > 0 && clock < clock_share_ * reference_ghz) return {Cause::clock};
  const double allowed_s = kDisturbingShare * window_s;
  if (before.cpu >= 0 && after.cpu >= 0 && before.cpu != after.cpu && kMoveS > allowed_s &&
      !others_of_the_job_computed(before, after, window_s))
    return {Cause::migrated};
  WindowDisturbance switched;
  if (switches_count_)
    switched =
        programs ? by_program(before, after, window_s, *programs) : by_switches(before, after, window_s);
  if (switched.cause == Cause::none && after.major_faults > before.major_faults)
    return {Cause::major_fault};
  return switched;
}

}  // namespace kernsweep
