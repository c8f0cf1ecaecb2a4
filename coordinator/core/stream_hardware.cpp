// Which hardware may run a job: points, and the points of a problem, are measured on one kind.
#include <algorithm>
#include <set>

#include "coordinator/core/stream.hpp"

namespace kernsweep::coordinator {

namespace {
// Number of points of a problem that are checked to find which hardware can run most of them.
constexpr std::size_t kRivalsLookedAt = 64;
}  // namespace

std::optional<std::uint32_t> Stream::bound_to(std::uint64_t index, const InFlightJobs& in_flight_jobs,
                                              std::uint32_t& budget) const {
  if (!bound_.matters()) return std::nullopt;
  spend(budget);
  const auto hardware = bound_.hardware_of(index, settled_jobs_, in_flight_jobs);
  const bool free =
      hardware && bound_.is_given_up(index, *hardware) && bound_.may_restart(index, in_flight_jobs);
  return free ? std::nullopt : hardware;
}

std::uint32_t Stream::most_able(std::span<const std::uint64_t> points, std::uint32_t first,
                                std::uint32_t& budget) const {
  const std::size_t step = (points.size() + kRivalsLookedAt - 1) / kRivalsLookedAt;
  std::map<std::uint32_t, std::size_t> able;
  std::size_t looked_at = 0;
  for (std::size_t i = 0; i < points.size(); i += step, ++looked_at) {
    const std::uint64_t index = space_->jobs_of_point(points[i]).front();
    std::set<std::uint32_t> fit;
    for (const auto& [kind, entry] : kinds_) {
      if (entry.present == 0 || fit.contains(entry.facts.hardware)) continue;
      spend(budget);
      if (fits(index, entry.facts)) fit.insert(entry.facts.hardware);
    }
    for (const std::uint32_t hardware : fit) ++able[hardware];
  }
  std::uint32_t best = first;
  if (2 * able[first] >= looked_at) return best;
  for (const auto& [hardware, count] : able)
    if (count > able[best]) best = hardware;
  return best;
}

std::optional<std::uint32_t> Stream::only_on(std::uint64_t index, HostKind candidate,
                                             const InFlightJobs& in_flight_jobs, std::uint32_t& budget) {
  if (!bound_.matters()) return std::nullopt;
  if (const auto bound = bound_to(index, in_flight_jobs, budget)) return bound;
  const auto rivals = bound_.rivals_of(index);
  if (rivals.size() < 2) return std::nullopt;
  auto hardware = bound_.hardware_of_problem(index, settled_jobs_, in_flight_jobs);
  if (!hardware) {
    hardware = most_able(rivals, kinds_.at(candidate).facts.hardware, budget);
    bound_.choose_for_problem(index, *hardware);
  }
  const bool runs_it = std::ranges::any_of(kinds_, [&](const auto& kind) {
    return kind.second.facts.hardware == *hardware && fits(index, kind.second.facts);
  });
  return runs_it ? hardware : std::nullopt;
}

std::set<std::uint32_t> Stream::absent_hardware() const {
  const std::vector<std::uint32_t> measured_on = bound_.measured_on();
  std::set<std::uint32_t> absent(measured_on.begin(), measured_on.end());
  for (const auto& [kind, entry] : kinds_) absent.insert(entry.facts.hardware);
  for (const auto& [kind, entry] : kinds_)
    if (entry.present > 0) absent.erase(entry.facts.hardware);
  return absent;
}

bool Stream::give_up_absent() {
  if (!bound_.binds()) return false;
  bool some = false;
  for (const std::uint32_t hardware : absent_hardware()) some = bound_.give_up(hardware) || some;
  return some;
}

bool Stream::give_up_absent_for_problems() {
  if (!bound_.binds()) return false;
  bool some = false;
  for (const std::uint32_t hardware : absent_hardware())
    some = bound_.give_up_for_problems(hardware) || some;
  return some;
}

}  // namespace kernsweep::coordinator
