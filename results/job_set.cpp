#include "results/job_set.hpp"

#include <algorithm>

namespace kernsweep {

void JobSet::add(std::uint64_t index, std::uint32_t host) {
  auto& runs = runs_[host];
  if (!runs.empty() && runs.back().last >= index) return;
  ++count_;
  if (!runs.empty() && runs.back().last + 1 == index)
    runs.back().last = index;
  else
    runs.push_back({index, index});
}

bool JobSet::contains(std::uint64_t index, std::uint32_t host) const {
  const auto& all = runs(host);
  const auto after =
      std::upper_bound(all.begin(), all.end(), index,
                       [](std::uint64_t wanted, const Run& run) { return wanted < run.first; });
  return after != all.begin() && index <= std::prev(after)->last;
}

const std::vector<JobSet::Run>& JobSet::runs(std::uint32_t host) const {
  static const std::vector<Run> kNone;
  const auto found = runs_.find(host);
  return found == runs_.end() ? kNone : found->second;
}

std::vector<std::uint32_t> JobSet::hosts() const {
  std::vector<std::uint32_t> out;
  for (const auto& [host, runs] : runs_) out.push_back(host);
  return out;
}

}  // namespace kernsweep
