// Which cores and GPUs are free, and which of them a slot gets.
#include <algorithm>

#include "worker/core/state.hpp"

namespace kernsweep::worker {

UnitSet Core::State::free_units() const {
  UnitSet free = all_units & ~in_doubt & ~kept_quiet();
  for (const auto& [id, slot] : slots) {
    if (slot.owns_units()) free &= ~slot.units;
    if (slot.left) free &= ~(slot.units & every_gpu());
  }
  return free;
}

// Chooses GPUs that no process uses: first the lowest number, then those near the same cores, then any.
std::optional<UnitSet> Core::State::choose_gpus(std::uint32_t count, const UnitSet& available) const {
  UnitSet chosen;
  if (count == 0) return chosen;
  UnitSet from = available;
  for (const auto& [id, slot] : slots) {
    if (slot.state == SlotState::idle) from &= ~slot.units;
  }
  if (count_gpus(from) < count) return std::nullopt;
  std::uint32_t first = 0;
  while (!from[kCoresMax + first]) ++first;
  for (const bool beside_first : {true, false}) {
    for (std::uint32_t gpu = first; gpu < layout.gpus && count > 0; ++gpu) {
      if (!from[kCoresMax + gpu] || (layout.near[gpu] == layout.near[first]) != beside_first) continue;
      chosen.set(kCoresMax + gpu);
      --count;
    }
  }
  return chosen;
}

// Asks idle slots to leave, the oldest first, until enough GPUs for the job will be free. Asks none if
// there cannot be enough. `gpus_coming`: GPUs of leaving slots that no other job waits for.
void Core::State::clear_gpus(const Order& order, const UnitSet& available, std::size_t& gpus_coming) {
  const UnitSet quiet = kept_quiet();  // leaving counts as work
  UnitSet empty = available & every_gpu();
  std::vector<Slot*> holders;
  std::size_t held = 0;
  for (auto& [id, slot] : slots) {
    if (slot.state != SlotState::idle || count_gpus(slot.units) == 0) continue;
    empty &= ~slot.units;
    if ((slot.units & quiet).any()) continue;
    holders.push_back(&slot);
    held += count_gpus(slot.units);
  }
  const std::size_t lacking = order.gpus - std::min<std::size_t>(order.gpus, count_gpus(empty));
  if (gpus_coming + held < lacking) return;
  std::stable_sort(holders.begin(), holders.end(),
                   [](const Slot* a, const Slot* b) { return a->idle_since < b->idle_since; });
  for (auto holder = holders.begin(); gpus_coming < lacking; ++holder) {
    gpus_coming += count_gpus((*holder)->units);
    retire(**holder);
  }
  gpus_coming -= lacking;
}

// The lowest free cores near the GPUs, within one last-level cache if one has enough of them. Requires that
// `count` cores are available.
UnitSet Core::State::choose_cores(std::uint32_t count, const UnitSet& gpus,
                                  const UnitSet& available) const {
  UnitSet near;
  for (std::uint32_t gpu = 0; gpu < layout.gpus; ++gpu) {
    if (gpus[kCoresMax + gpu]) near |= layout.near[gpu];
  }
  UnitSet from = available & all_cores;
  if ((from & near).count() >= count) from &= near;
  if (layout.cache_of.size() >= layout.cores) {
    for (std::uint32_t core = 0; core < layout.cores; ++core) {
      const UnitSet together = layout.cache_of[core] & from;
      if (from[core] && together.count() >= count) {
        from = together;
        break;
      }
    }
  }
  UnitSet chosen;
  for (std::uint32_t core = 0; count > 0; ++core) {
    if (!from[core]) continue;
    chosen.set(core);
    --count;
  }
  return chosen;
}

// The first core is one of those whose last-level cache has the most cores, so the job fits into one cache
// if any cache has enough. The rotation is that cache first, then all others, both upwards from that core.
UnitSet Core::State::block_cores(const Order& order) const {
  const UnitSet left = all_units & all_cores;
  const auto together = [&](std::uint32_t core) {
    return layout.cache_of.size() < layout.cores ? left : layout.cache_of[core] & left;
  };
  std::vector<std::uint32_t> firsts;
  std::size_t most = 0;
  for (std::uint32_t core = 0; core < layout.cores; ++core) {
    if (!left[core]) continue;
    const std::size_t count = together(core).count();
    if (count > most) firsts.clear();
    most = std::max(most, count);
    if (count == most) firsts.push_back(core);
  }
  const std::uint32_t first = firsts[*order.block % firsts.size()];
  UnitSet chosen;
  std::uint32_t lacking = order.cores;
  for (const UnitSet& from : {together(first), left}) {
    for (std::uint32_t step = 0; step < layout.cores && lacking > 0; ++step) {
      const std::uint32_t core = (first + step) % layout.cores;
      if (!from[core] || chosen[core]) continue;
      chosen.set(core);
      --lacking;
    }
  }
  return chosen;
}

}  // namespace kernsweep::worker
