// Which job goes to which slot, on which cores, in how long a run.
#include <algorithm>
#include <utility>

#include "worker/agent/core_state.hpp"

namespace kernsweep::agency {

namespace {
constexpr std::size_t kLookAhead = 64;  // jobs behind the head that may go before it
constexpr std::uint32_t kJobsToTrust =
    2;  // outcomes of a key before its next jobs are expected to be short
}  // namespace

CoreSet Core::State::free_cores() const {
  CoreSet free = all_cores & ~kept_quiet();
  for (const auto& [id, slot] : slots) {
    if (slot.owns_cores()) free &= ~slot.cores;
  }
  return free;
}

// Jobs behind a head that cannot be placed may go first as often as there are cores; then cores are kept
// for it.
bool Core::State::place_jobs() {
  bool placed_any = false;
  if (queue.empty()) return false;
  CoreSet available = free_cores();
  for (std::size_t position = 0; position < queue.size() && position < kLookAhead && available.any();) {
    if (place_at(position, available)) {
      placed_any = true;
      available = free_cores();
      overtakes = position == 0 ? 0 : overtakes + 1;
      continue;
    }
    if (position == 0 && overtakes >= stage.cores) break;
    ++position;
    if (overtakes >= stage.cores) break;
  }
  return placed_any;
}

bool Core::State::place_at(std::size_t position, const CoreSet& available) {
  const Queued& job = queue[position];
  Slot* chosen = nullptr;
  for (auto& [id, slot] : slots) {
    if (slot.state != SlotState::idle || slot.key != job.order.key || slot.core_count != job.order.cores)
      continue;
    if ((slot.cores & ~available).any()) continue;
    if (!chosen || slot.idle_since > chosen->idle_since) chosen = &slot;  // its caches are the warmest
  }
  if (chosen) {
    chosen->run.push_back(queue[position]);
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(position));
    dispatch(*chosen);
    return true;
  }
  const std::optional<CoreSet> cores = choose_cores(job.order.cores, available);
  if (cores) start(position, *cores);
  return cores.has_value();
}

// The lowest free cores, within one last-level cache where one has enough of them.
std::optional<CoreSet> Core::State::choose_cores(std::uint32_t count, const CoreSet& available) const {
  if (available.count() < count) return std::nullopt;
  CoreSet from = available;
  if (stage.cache_of.size() >= stage.cores) {
    for (std::uint32_t core = 0; core < stage.cores; ++core) {
      const CoreSet together = stage.cache_of[core] & available;
      if (available[core] && together.count() >= count) {
        from = together;
        break;
      }
    }
  }
  CoreSet chosen;
  for (std::uint32_t core = 0; count > 0; ++core) {
    if (!from[core]) continue;
    chosen.set(core);
    --count;
  }
  return chosen;
}

void Core::State::start(std::size_t position, const CoreSet& cores) {
  const SlotId id{++last_slot};
  Slot& slot = slots[id];
  slot.id = id;
  slot.key = queue[position].order.key;
  slot.core_count = queue[position].order.cores;
  slot.cores = cores;
  slot.deadline = now + options.setup_grace;
  slot.run.push_back(queue[position]);
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(position));
  actions->emplace_back(StartSlot{id, slot.key, cores});
}

bool Core::State::is_short(const Queued& job) const {
  const auto it = experience.find({job.order.key, job.order.cores});
  return !job.alone && it != experience.end() && it->second.jobs >= kJobsToTrust &&
         it->second.busy_s < seconds(options.run_time_goal);
}

std::size_t Core::State::run_length(const Queued& job) const {
  if (!is_short(job)) return 1;
  const double busy_s = experience.at({job.order.key, job.order.cores}).busy_s;
  const double fill = seconds(options.run_time_goal) / busy_s;
  const std::size_t most = std::max(options.run_jobs_max, 1U);
  const std::size_t length = fill >= static_cast<double>(most) ? most : static_cast<std::size_t>(fill);
  // Where slots may measure side by side, none takes what another could be doing.
  const std::size_t side_by_side =
      job.order.alone_on == Exclusion::host ? 1 : std::max<std::size_t>(stage.cores / job.order.cores, 1);
  return std::clamp<std::size_t>((queue.size() + side_by_side) / side_by_side, 1,
                                 std::max<std::size_t>(length, 1));
}

// Takes jobs that may share the run from the queue, passing over a bounded number of others.
void Core::State::extend_run(Slot& slot, std::size_t length) {
  const Order first = slot.run.front().order;
  std::vector<Queued> passed;
  while (slot.run.size() < length && !queue.empty() && passed.size() < kLookAhead) {
    Queued& next = queue.front();
    if (next.order.key == first.key && next.order.cores == first.cores &&
        next.order.alone_on == first.alone_on && !next.alone) {
      slot.run.push_back(next);
    } else {
      passed.push_back(next);
    }
    queue.pop_front();
  }
  for (auto job = passed.rbegin(); job != passed.rend(); ++job) queue.push_front(*job);
}

void Core::State::dispatch(Slot& slot) {
  if (is_short(slot.run.front())) {
    extend_run(slot, run_length(slot.run.front()));
    want(slot, SlotState::poised);
  } else if ((kept_quiet() & slot.cores).any()) {
    slot.state = SlotState::staged;
  } else {
    send(slot, false);
  }
}

bool Core::State::wake_staged() {
  bool woken = false;
  for (auto& [id, slot] : slots) {
    if (slot.state != SlotState::staged || (kept_quiet() & slot.cores).any()) continue;
    dispatch(slot);
    woken = true;
  }
  return woken;
}

void Core::State::send(Slot& slot, bool leased) {
  const Order& first = slot.run.front().order;
  slot.several = slot.run.size() > 1;
  slot.state = leased ? SlotState::measuring : SlotState::preparing;
  slot.holds_lease = leased;
  slot.silent = leased;
  slot.heard = now;
  slot.deadline = now + (leased ? std::min(first.setup_timeout, first.run_timeout) : first.setup_timeout);
  std::vector<AttemptId> attempts;
  attempts.reserve(slot.run.size());
  for (const Queued& job : slot.run) attempts.push_back(job.order.attempt);
  actions->emplace_back(SendRun{slot.id, std::move(attempts), leased});
}

void Core::State::retire_idle() {
  std::size_t idle = 0;
  for (const auto& [id, slot] : slots) idle += slot.state == SlotState::idle;
  while (idle > options.idle_slots_max) {
    const CoreSet quiet = kept_quiet();  // leaving is work too
    Slot* oldest = nullptr;
    for (auto& [id, slot] : slots) {
      if (slot.state != SlotState::idle || (slot.cores & quiet).any()) continue;
      if (!oldest || slot.idle_since < oldest->idle_since) oldest = &slot;
    }
    if (!oldest) return;
    oldest->state = SlotState::leaving;
    oldest->deadline = now + options.setup_grace;
    actions->emplace_back(RetireSlot{oldest->id});
    --idle;
  }
}

}  // namespace kernsweep::agency
