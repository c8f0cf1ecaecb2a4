#include "worker/slot/watch/thread_work.hpp"

#include <algorithm>
#include <numeric>

namespace kernsweep {
namespace {

constexpr double kWorkedShare = 0.05;  // of the time of the busiest thread
constexpr double kIdleShare = 0.1;     // of the wall time
constexpr double kLeast_s = 1e-3;
constexpr double kOneCore = 1.02;      // of the wall time; clocks are read one after the other
constexpr double kSampledShare = 0.5;  // of the time of the busiest thread

}  // namespace

ThreadWork work_between(const ThreadTimes& before, const ThreadTimes& after) {
  ThreadWork out;
  double living_s = 0;
  for (const auto& [thread, now_s] : after.threads) {
    const auto then = std::find_if(before.threads.begin(), before.threads.end(),
                                   [id = thread](const auto& each) { return each.first == id; });
    // The number may now belong to a new thread.
    const bool known = then != before.threads.end() && then->second <= now_s;
    out.threads_s.push_back(known ? now_s - then->second : now_s);
    living_s += out.threads_s.back();
  }
  out.elsewhere_s = std::max(0.0, after.process_first_s - before.process_last_s - living_s);
  out.children = before.children || after.children;
  out.children_s = std::clamp(after.ended_children_s - before.ended_children_s, 0.0, out.elsewhere_s);
  return out;
}

double share_waited(const std::vector<ThreadWait>& before, const std::vector<ThreadWait>& after,
                    double span_s, std::uint32_t cores) {
  constexpr double kShare = 0.1, kWakingS = 2.5e-4;
  double waited_s = 0, longest_s = 0;
  std::uint64_t turns = 0;
  std::vector<double> ran_s;
  for (const ThreadWait& now : after) {
    const auto then = std::ranges::find(before, now.thread, &ThreadWait::thread);
    if (then == before.end() || now.turns < then->turns || now.waited_s < then->waited_s) continue;
    waited_s += now.waited_s - then->waited_s;
    turns += now.turns - then->turns;
    ran_s.push_back(now.ran_s - then->ran_s);
    longest_s = std::max(longest_s, ran_s.back());
  }
  const auto worked =
      std::ranges::count_if(ran_s, [&](double each_s) { return each_s > kWorkedShare * longest_s; });
  const bool have_a_core_each = static_cast<std::size_t>(worked) <= cores;
  const bool only_woke = waited_s < kWakingS * static_cast<double>(turns);
  return have_a_core_each && !only_woke && waited_s >= kShare * span_s ? std::min(1.0, waited_s / span_s)
                                                                       : 0;
}

std::optional<WorkedThreads> threads_that_worked(const ThreadWork& work) {
  const double living_s = std::accumulate(work.threads_s.begin(), work.threads_s.end(), 0.0);
  const double all_s = living_s + work.elsewhere_s;
  if (work.threads_s.empty() || all_s < kLeast_s || all_s < kIdleShare * work.wall_s) return std::nullopt;
  const double busiest_s = *std::max_element(work.threads_s.begin(), work.threads_s.end());
  // Processes and threads that together were busy for no longer than one core can be may have worked one
  // after the other: a function that starts a process and waits for it.
  const bool awaited = work.children_s > 0 && all_s <= kOneCore * work.wall_s;
  const double counted_s = work.elsewhere_s - (awaited ? work.children_s : 0);
  const bool elsewhere = counted_s >= kWorkedShare * busiest_s;
  // One of the threads and processes that have ended may have done all of their work.
  const double least_s =
      kWorkedShare * (elsewhere || awaited ? std::max(busiest_s, work.elsewhere_s) : busiest_s);
  const auto living = std::count_if(work.threads_s.begin(), work.threads_s.end(),
                                    [&](double each_s) { return each_s >= least_s; });
  const auto count = static_cast<std::uint32_t>(living) + (elsewhere ? 1U : 0U);
  return WorkedThreads{std::max(count, 1U),
                       elsewhere || awaited || work.children || work.sampled_s < kSampledShare * busiest_s};
}

}  // namespace kernsweep
