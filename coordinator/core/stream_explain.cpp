// Messages about why jobs of a stream wait. Changes nothing.
#include <algorithm>
#include <utility>

#include "coordinator/core/stream.hpp"

namespace kernsweep::coordinator {

bool Stream::fits_somebody_here(std::uint64_t index, const InFlightJobs& in_flight_jobs) const {
  std::uint32_t free = 0;
  const auto hardware = bound_to(index, in_flight_jobs, free);
  return std::any_of(kinds_.begin(), kinds_.end(), [&](const auto& kind) {
    const HostFacts& facts = kind.second.facts;
    return kind.second.present > 0 && (!hardware || *hardware == facts.hardware) && fits(index, facts);
  });
}

std::string Stream::why_not(std::uint64_t index, const HostFacts& facts) const {
  if (auto reason = space_->unfit(index, facts)) return *reason;
  return "asks for " + std::to_string(space_->cores(index)) + " cores, the host offers " +
         std::to_string(facts.cores);
}

std::vector<std::string> Stream::why_not(std::uint64_t index, const InFlightJobs& in_flight_jobs) const {
  constexpr std::size_t kLinesMax = 8;
  std::vector<std::string> lines;
  std::uint32_t free = 0;
  const auto hardware = bound_to(index, in_flight_jobs, free);
  const bool away = std::ranges::none_of(kinds_, [&](const auto& kind) {
    return kind.second.present > 0 && hardware == kind.second.facts.hardware;
  });
  for (const auto& [kind, entry] : kinds_) {
    if (entry.present == 0) continue;
    const bool unlike = hardware && *hardware != entry.facts.hardware;
    if (!unlike && fits(index, entry.facts)) continue;
    std::string line = unlike ? "its point is bound to another kind of host" : why_not(index, entry.facts);
    if (unlike && away) line += ", and no such host is connected";
    const auto like_it = std::ranges::count_if(entry.workers, [](const auto& of) { return of.second > 0; });
    if (like_it > 1) line += " (as on " + std::to_string(like_it - 1) + " more)";
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
    if (lines.size() == kLinesMax) break;
  }
  return lines;
}

std::string Stream::why_unschedulable(std::uint64_t index) const {
  std::string why = kinds_.empty() ? "" : why_not(index, kinds_.begin()->second.facts);
  if (kinds_.size() > 1) why += " (" + std::to_string(kinds_.size()) + " kinds of host were tried)";
  return why;
}

std::uint64_t Stream::waiting_for_a_host() const {
  std::uint64_t sum = unschedulable();
  for (const auto& [need, queue] : ready_queues_) {
    if (!is_anybody_here(need)) sum += queue.count();
  }
  return sum;
}

std::uint64_t Stream::set_aside() const {
  std::uint64_t sum = unschedulable() + revisit_.count() + later_.size();
  for (const Anew& batch : anew_) sum += batch.jobs.count();
  for (const auto& [need, queue] : ready_queues_) sum += queue.count();
  for (const auto& [host, jobs] : bad_on_) sum += jobs.size();
  return sum;
}

}  // namespace kernsweep::coordinator
