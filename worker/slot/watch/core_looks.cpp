#include "worker/slot/watch/core_looks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>

namespace kernsweep {
namespace {

class Matching {
 public:
  explicit Matching(const std::vector<Cpus>& masks) : masks_(masks) {}

  // Assigns a core to the thread: a free one, or one whose thread can get another one.
  bool place(std::size_t thread, std::set<std::uint32_t>& tried) {
    for (const std::uint32_t cpu : masks_[thread])
      if (owner_.try_emplace(cpu, thread).second) return true;
    for (const std::uint32_t cpu : masks_[thread]) {
      if (!tried.insert(cpu).second || !place(owner_[cpu], tried)) continue;
      owner_[cpu] = thread;
      return true;
    }
    return false;
  }

 private:
  const std::vector<Cpus>& masks_;
  std::map<std::uint32_t, std::size_t> owner_;  // the thread of a core
};

}  // namespace

std::uint32_t that_run_at_once(const std::vector<Cpus>& masks) {
  Matching matching(masks);
  std::uint32_t placed = 0;
  for (std::size_t thread = 0; thread < masks.size(); ++thread) {
    std::set<std::uint32_t> tried;
    placed += matching.place(thread, tried) ? 1 : 0;
  }
  return placed;
}

std::optional<FewCores> few_cores(const std::vector<CoreLook>& looks, std::uint32_t wanted) {
  constexpr std::size_t kDecidingPart = 25, kSharingPart = 5;
  struct Votes {
    std::size_t enough = 0, few = 0;
    FewCores last;
  };
  std::array<Votes, 2> votes;  // of looks with one ready thread, and with several
  for (const CoreLook& look : looks) {
    if (look.ready == 0) continue;
    const bool several = look.ready > 1;
    const auto at_once = several ? look.at_once : static_cast<std::uint32_t>(look.cpus.size());
    Votes& of = votes[several ? 1 : 0];
    if (at_once >= (several ? std::min(look.ready, wanted) : wanted)) {
      ++of.enough;
    } else {
      ++of.few;
      of.last = {at_once, several ? look.ready_cpus : look.cpus};
    }
  }
  const auto& [alone, several] = votes;
  const std::size_t together = several.enough + several.few, all = together + alone.enough + alone.few;
  if (together > 0 && together * kDecidingPart >= all)
    return several.few * kSharingPart >= together ? std::optional(several.last) : std::nullopt;
  return alone.few > alone.enough ? std::optional(alone.last) : std::nullopt;
}

std::optional<std::uint32_t> ready_at_once(const std::vector<CoreLook>& looks, double but_for) {
  constexpr std::size_t kLeast = 20;
  std::vector<std::uint32_t> ready;
  for (const CoreLook& look : looks)
    if (look.ready > 0) ready.push_back(look.ready);
  if (ready.size() < kLeast) return std::nullopt;
  std::ranges::sort(ready);
  return ready[ready.size() - 1 - static_cast<std::size_t>(but_for * static_cast<double>(ready.size()))];
}

}  // namespace kernsweep
