// The builds that jobs need, in phases between measurements.
#include <algorithm>
#include <set>
#include <utility>

#include "worker/core/state.hpp"

namespace kernsweep::worker {

bool Core::State::needs_build(const Order& order) const {
  return std::ranges::any_of(order.builds, [this](std::uint32_t number) {
    const auto build = builds.find(number);
    return build == builds.end() || build->second.stage != Build::Stage::done;
  });
}

// No job is placed: a build runs, or the next job needs one first. A phase that has started builds all that
// the queue needs.
bool Core::State::builds_come_first() const {
  if (builds_running > 0) return true;
  if (!in_build_phase) return !queue.empty() && needs_build(queue.front().order);
  return std::ranges::any_of(queue, [this](const Queued& job) { return needs_build(job.order); });
}

void Core::State::begin_builds() {
  in_build_phase = builds_come_first() &&
                   std::ranges::all_of(slots, [](const auto& each) { return each.second.run.empty(); });
  if (!in_build_phase) return;
  for (const Queued& job : queue) {
    for (const std::uint32_t number : job.order.builds) {
      if (builds_running >= std::max<std::size_t>(cores_left(), 1)) return;
      if (!builds.try_emplace(number).second) continue;
      ++builds_running;
      actions->emplace_back(BeginBuild{number});
    }
  }
}

void Core::State::on(const Built& event) {
  const auto build = builds.find(event.build);
  const bool runs = build != builds.end() && (build->second.stage == Build::Stage::running ||
                                              build->second.stage == Build::Stage::ending);
  if (!runs) return;
  --builds_running;
  if (event.interrupted) {
    builds.erase(build);
  } else {
    build->second.stage = event.failure.empty() ? Build::Stage::done : Build::Stage::failed;
    build->second.failure = event.failure;
  }
}

std::size_t Core::State::builds_left() const {
  std::set<std::uint32_t> left;
  for (const Queued& job : queue)
    for (const std::uint32_t number : job.order.builds)
      if (const auto build = builds.find(number);
          build == builds.end() || build->second.stage == Build::Stage::running)
        left.insert(number);
  return left.size();
}

// Must be called after jobs were cancelled, retracted or returned.
void Core::State::end_unneeded_builds() {
  if (builds_running == 0) return;
  std::set<std::uint32_t> needed;
  for (const Queued& job : queue) needed.insert(job.order.builds.begin(), job.order.builds.end());
  for (auto& [number, build] : builds) {
    if (build.stage != Build::Stage::running || needed.contains(number)) continue;
    build.stage = Build::Stage::ending;
    actions->emplace_back(EndBuild{number});
  }
}

void Core::State::fail_unbuilt() {
  if (builds.empty()) return;
  for (auto job = queue.begin(); job != queue.end();) {
    const auto failed = std::ranges::find_if(job->order.builds, [this](std::uint32_t number) {
      const auto build = builds.find(number);
      return build != builds.end() && build->second.stage == Build::Stage::failed;
    });
    if (failed == job->order.builds.end()) {
      ++job;
      continue;
    }
    report(job->order.attempt, Outcome::failed_build, std::nullopt, builds.at(*failed).failure,
           std::nullopt);
    job = queue.erase(job);
  }
}

}  // namespace kernsweep::worker
