// Which job goes to which slot, on which cores, and how many jobs form a run.
#include <algorithm>
#include <utility>

#include "worker/core/state.hpp"

namespace kernsweep::worker {

namespace {
constexpr std::size_t kLookAhead = 64;   // jobs after the head of the queue that may be placed before it
constexpr std::size_t kLookOver = 1024;  // the same, including jobs that wait for GPUs that are not free
constexpr std::uint32_t kJobsToTrust =
    2;  // outcomes of a key before its next jobs are expected to be short
}  // namespace

// If the head of the queue cannot be placed, as many jobs as there are cores may be placed before it; then
// cores are kept free for it. If the head waits for GPUs, a job that leaves enough cores for the head does
// not count.
bool Core::State::place_jobs() {
  bool placed_any = false;
  if (queue.empty()) return false;
  UnitSet available = free_units();
  std::size_t gpus_coming = 0;
  for (const auto& [id, slot] : slots) {
    if (slot.state == SlotState::leaving) gpus_coming += count_gpus(slot.units & ~in_doubt);
  }
  bool block_waits = false;
  std::size_t tried = 0;
  for (std::size_t position = 0; position < std::min(queue.size(), kLookOver) && tried < kLookAhead &&
                                 (available & all_cores).any();) {
    const Order order = queue[position].order;
    const bool gpus_free = order.gpus == 0 || order.gpus <= count_gpus(available);
    const bool may_begin = gpus_free && !(order.block && block_waits) && !needs_build(order);
    if (may_begin && place_at(position, available, gpus_coming)) {
      placed_any = true;
      available = free_units();
      if (position == 0) {
        overtakes = 0;
      } else if (hinders_head(order, available)) {
        ++overtakes;
      }
      continue;
    }
    block_waits = block_waits || order.block;
    if (overtakes >= layout.cores && !head_is_stuck()) break;
    if (gpus_free && order.gpus > 0) available = free_units();  // leaving slots still own their GPUs
    ++position;
    tried += gpus_free ? 1 : 0;
  }
  return placed_any;
}

// The head needs GPUs of killed processes that have not ended, or GPUs whose check is not finished. It is
// not known how long that takes.
bool Core::State::head_is_stuck() const {
  UnitSet gpus = all_units & ~in_doubt;
  for (const auto& [id, slot] : slots) {
    if (slot.state == SlotState::dying) gpus &= ~slot.units;
  }
  return queue.front().order.gpus > count_gpus(gpus);
}

bool Core::State::hinders_head(const Order& placed, UnitSet left) const {
  if (placed.gpus > 0 || queue.front().order.gpus == 0) return true;
  for (const auto& [id, slot] : slots) {  // the slot that returns the GPUs also returns its cores
    if (slot.owns_units() && count_gpus(slot.units) > 0) left |= slot.units;
  }
  return count_cores(left) < queue.front().order.cores;
}

bool Core::State::place_at(std::size_t position, const UnitSet& available, std::size_t& gpus_coming) {
  const Order order = queue[position].order;
  if (Slot* const chosen = idle_slot_for(order, available)) {
    chosen->run.push_back(queue[position]);
    queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(position));
    dispatch(*chosen);
    return true;
  }
  if (order.block) {
    const UnitSet cores = block_cores(order);
    if ((cores & ~available).any()) return false;
    start(position, cores);
    return true;
  }
  if (count_cores(available) < order.cores) return false;
  const std::optional<UnitSet> gpus = choose_gpus(order.gpus, available);
  if (!gpus) {
    clear_gpus(order, available, gpus_coming);
    return false;
  }
  start(position, *gpus | choose_cores(order.cores, *gpus, available));
  return true;
}

Slot* Core::State::idle_slot_for(const Order& order, const UnitSet& available) {
  Slot* chosen = nullptr;
  const UnitSet usable = order.block ? block_cores(order) & available : available;
  for (auto& [id, slot] : slots) {
    if (slot.state != SlotState::idle || slot.key != order.key || slot.core_count != order.cores ||
        count_gpus(slot.units) != order.gpus || (slot.units & ~usable).any()) {
      continue;
    }
    if (!chosen || slot.idle_since > chosen->idle_since) chosen = &slot;  // used last: warmest caches
  }
  return chosen;
}

void Core::State::start(std::size_t position, const UnitSet& units) {
  const SlotId id{++last_slot};
  Slot& slot = slots[id];
  slot.id = id;
  slot.key = queue[position].order.key;
  slot.core_count = queue[position].order.cores;
  slot.units = units;
  slot.deadline = now + start_limit(queue[position].order);
  slot.run.push_back(queue[position]);
  queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(position));
  actions->emplace_back(StartSlot{id, slot.key, units});
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
  // If several slots may measure at the same time, each gets only its share of the queue.
  std::size_t side_by_side = cores_left() / job.order.cores;
  if (job.order.gpus > 0) side_by_side = std::min<std::size_t>(side_by_side, gpus_left() / job.order.gpus);
  if (job.order.alone_on == Exclusion::host || side_by_side == 0) side_by_side = 1;
  return std::clamp<std::size_t>((queue.size() + side_by_side) / side_by_side, 1,
                                 std::max<std::size_t>(length, 1));
}

// Takes jobs that may share the run from the queue, skipping a bounded number of others.
void Core::State::extend_run(Slot& slot, std::size_t length) {
  const Order first = slot.run.front().order;
  std::vector<Queued> passed;
  while (slot.run.size() < length && !queue.empty() && passed.size() < kLookAhead) {
    Queued& next = queue.front();
    if (next.order.key == first.key && next.order.cores == first.cores && next.order.gpus == first.gpus &&
        next.order.alone_on == first.alone_on && next.order.block == first.block && !next.alone &&
        !needs_build(next.order)) {
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
    request_lease(slot, SlotState::waiting_for_lease);
  } else if ((kept_quiet() & slot.units).any()) {
    slot.state = SlotState::held_before_prepare;
  } else {
    send(slot, false);
  }
}

bool Core::State::dispatch_held() {
  bool woken = false;
  for (auto& [id, slot] : slots) {
    if (slot.state != SlotState::held_before_prepare || (kept_quiet() & slot.units).any()) continue;
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
  slot.last_message = now;
  slot.deadline = now + (leased ? std::min(first.setup_timeout, first.run_timeout) : first.setup_timeout);
  std::vector<AttemptId> attempts;
  attempts.reserve(slot.run.size());
  for (const Queued& job : slot.run) attempts.push_back(job.order.attempt);
  actions->emplace_back(SendRun{slot.id, std::move(attempts), leased});
}

void Core::State::retire(Slot& slot) {
  slot.state = SlotState::leaving;
  slot.left = true;
  slot.deadline = now + options.leave_grace;
  actions->emplace_back(RetireSlot{slot.id});
}

void Core::State::retire_idle() {
  std::size_t idle = 0;
  for (const auto& [id, slot] : slots) idle += slot.state == SlotState::idle;
  while (idle > options.idle_slots_max) {
    const UnitSet quiet = kept_quiet();  // leaving counts as work
    Slot* oldest = nullptr;
    for (auto& [id, slot] : slots) {
      if (slot.state != SlotState::idle || (slot.units & quiet).any()) continue;
      if (!oldest || slot.idle_since < oldest->idle_since) oldest = &slot;
    }
    if (!oldest) return;
    retire(*oldest);
    --idle;
  }
}

}  // namespace kernsweep::worker
