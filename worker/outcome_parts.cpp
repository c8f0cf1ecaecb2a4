#include "worker/outcome_parts.hpp"

#include <utility>

namespace kernsweep::worker {

std::vector<wire::Outcomes> in_parts(wire::Outcomes all, std::size_t bytes_max) {
  constexpr std::size_t kAround = 16;  // tag and length of an outcome in its message
  std::vector<wire::Outcomes> parts;
  if (all.ByteSizeLong() <= bytes_max) {
    parts.push_back(std::move(all));
    return parts;
  }
  parts.emplace_back();
  parts.front().mutable_software()->Swap(all.mutable_software());
  std::size_t bytes = parts.front().ByteSizeLong();
  for (wire::Outcome& outcome : *all.mutable_outcomes()) {
    const std::size_t more = outcome.ByteSizeLong() + kAround;
    if (bytes > 0 && bytes + more > bytes_max) {
      parts.emplace_back();
      bytes = 0;
    }
    bytes += more;
    *parts.back().add_outcomes() = std::move(outcome);
  }
  return parts;
}

}  // namespace kernsweep::worker
