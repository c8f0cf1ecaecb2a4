#include "tests/simulation/fake_slots.hpp"

#include <utility>

namespace kernsweep::simulation {

void FakeSlots::later(SlotId id, Duration delay, std::function<void(Fake&)> what) {
  const std::uint64_t token = slots_.at(id).token;
  world_.after(delay, [this, id, token, what = std::move(what)] {
    const auto it = slots_.find(id);
    if (it != slots_.end() && it->second.token == token) what(it->second);
  });
}

void FakeSlots::exit_later(SlotId id, Duration delay, Outcome outcome, const char* reason) {
  slots_.at(id).token = ++last_token_;
  later(id, delay, [this, id, outcome, reason](Fake&) {
    slots_.erase(id);
    deliver_(worker::SlotExited{id, outcome, reason});
  });
}

void FakeSlots::begins_work(SlotId id, const Fake& fake) {
  for (const auto& [other, holder] : slots_) {
    if (other != id && (holder.zone & fake.units).any()) {
      world_.violated("slot works in the zone of another's lease");
    }
  }
}

void FakeSlots::takes_lease(SlotId id, Fake& fake) {
  const worker::Order& order = fake.run.front();
  const bool whole_host = fake.alone || order.alone_on == Exclusion::host;
  fake.zone = fake.units;
  for (std::uint32_t gpu = 0; gpu < layout_.gpus && whole_host; ++gpu)
    fake.zone.set(worker::kCoresMax + gpu);
  for (std::uint32_t core = 0; core < layout_.cores; ++core) {
    if (whole_host) fake.zone.set(core);
    if (!fake.units[core]) continue;
    if (order.alone_on == Exclusion::numa) fake.zone |= layout_.numa_of[core];
    if (order.alone_on == Exclusion::cache) fake.zone |= layout_.cache_of[core];
  }
  for (const auto& [other, slot] : slots_) {
    if (other == id) continue;
    if ((slot.zone & fake.zone).any()) world_.violated("two leases in one zone");
    if (slot.doing != Doing::quiet && (slot.units & fake.zone).any()) {
      world_.violated("lease granted in a zone where another slot works");
    }
  }
  fake.doing = Doing::measuring;
}

void FakeSlots::perform(const worker::StartSlot& action) {
  Fake& fake = slots_[action.slot];
  if (fake.token != 0) world_.violated("slot number used again");
  fake.key = action.key;
  fake.units = action.units;
  fake.token = ++last_token_;
  begins_work(action.slot, fake);
  for (const auto& [other, there] : slots_) {
    if (other != action.slot && (there.units & fake.units & worker::every_gpu()).any())
      world_.violated("two processes on one GPU");
  }
  if ((fake.units & given_up_).any()) world_.violated("a process on a GPU or a core that was given up");
  for (const auto& [gpu, look] : looking_) {
    if (fake.units[worker::kCoresMax + gpu]) world_.violated("a process on a GPU that is looked at");
  }
  if (world_.faults && world_.random.chance(0.01)) return;  // hangs
  const Duration delay = world_.calm ? 0ms : world_.random.between(1ms, 20ms);
  if (world_.faults && world_.random.chance(0.04)) {
    return exit_later(action.slot, delay, Outcome::failed_setup, "no such library");
  }
  later(action.slot, delay, [this, id = action.slot](Fake& slot) {
    slot.doing = Doing::quiet;
    slot.up = true;
    deliver_(worker::SlotReady{id});
  });
}

void FakeSlots::perform(const worker::RetireSlot& action) {
  const auto it = slots_.find(action.slot);
  if (it == slots_.end() || !it->second.run.empty()) return world_.violated("a busy slot is retired");
  it->second.doing = Doing::working;
  begins_work(action.slot, it->second);
  if (world_.faults && world_.random.chance(0.05)) return;  // hangs
  exit_later(action.slot, world_.random.between(100us, 3ms), Outcome::signal, "exited with status 0");
}

void FakeSlots::perform(const worker::KillSlot& action) {
  if (!slots_.count(action.slot)) return;  // gone, and the news of it waits while the worker is frozen
  Fake& fake = slots_.at(action.slot);
  if (fake.doing == Doing::quiet) fake.doing = Doing::working;
  for (std::uint32_t gpu = 0; gpu < layout_.gpus; ++gpu) {
    if (fake.units[worker::kCoresMax + gpu]) seen_.erase(gpu);
  }
  fake.stuck = unkillable > 0 || ((fake.units & dead).any() && world_.random.chance(0.3));
  if (is_given_up(fake)) {  // next to a slot that was stuck before
    slots_.erase(action.slot);
    return;
  }
  if (unkillable > 0 && --unkillable % 2 == 0) {  // never
    fake.token = ++last_token_;
    return;
  }
  const Duration delay = fake.stuck ? 2 * kExitLimit : world_.random.between(100us, 5ms);
  exit_later(action.slot, delay, Outcome::signal, "killed by SIGKILL");
}

void FakeSlots::perform(const worker::SendRun& action) {
  const auto it = slots_.find(action.slot);
  if (it == slots_.end() || !it->second.up) return world_.violated("run sent to a slot that is not up");
  Fake& fake = it->second;
  if (!fake.run.empty()) return world_.violated("slot has two runs");
  if (fake.done) return world_.violated("run sent to a slot that can measure nothing more");
  if (action.attempts.size() > 1 && !action.leased) return world_.violated("several jobs without a lease");
  for (const AttemptId& attempt : action.attempts) {
    fake.run.push_back(script_.order(attempt));
    if (fake.run.back().key != fake.key) world_.violated("job in a process of another key");
    const worker::Order& order = fake.run.back();
    if (order.cores != worker::count_cores(fake.units)) world_.violated("job on another number of cores");
    if (order.block && given_up_.none()) {
      const std::pair block(attempt.job.sweep, *order.block);
      worker::UnitSet& common = common_.try_emplace(block, fake.units).first->second;
      common &= fake.units;
      if (common.none()) world_.violated("jobs of one block on different cores");
    }
    ran_on_[attempt] = fake.units & worker::every_gpu();
    if (order.gpus != worker::count_gpus(fake.units)) world_.violated("job on another number of GPUs");
  }
  fake.next = 0;
  fake.leased = action.leased;
  fake.alone = false;
  begin_next(fake);
  if (action.leased) {
    takes_lease(action.slot, fake);
    return measure_next(action.slot, fake);
  }
  fake.doing = Doing::working;
  begins_work(action.slot, fake);
  const double roll = world_.faults ? static_cast<double>(world_.random.below(1000)) / 1000 : 1.0;
  const Duration delay = world_.calm ? 0ms : world_.random.between(100us, 10ms);
  if (roll < 0.01) return;  // hangs
  if (roll < 0.03) return exit_later(action.slot, delay, Outcome::out_of_memory, "killed by the kernel");
  later(action.slot, delay, [this, id = action.slot, roll](Fake& slot) {
    if (roll < 0.05) return measured(id, slot, Outcome::unsupported, 10us);
    slot.doing = Doing::quiet;
    deliver_(worker::LeaseRequested{id});
  });
}

void FakeSlots::perform(const worker::GrantLease& action) {
  const auto it = slots_.find(action.slot);
  if (it == slots_.end() || it->second.run.empty())
    return world_.violated("lease for a slot without a run");
  takes_lease(action.slot, it->second);
  measure_next(action.slot, it->second);
}

// At its next turn: a core is never applied while it is being applied.
void FakeSlots::perform(const worker::LookAtSlot& action) {
  if (!slots_.count(action.slot)) return;
  later(action.slot, 0us, [this, id = action.slot](Fake& slot) {
    deliver_(worker::SlotSeen{id, slot.begun, slot.doing == Doing::measuring, slot.since});
  });
}

void FakeSlots::perform(const worker::LookAtGpu& action) {
  const std::size_t unit = worker::kCoresMax + action.gpu;
  for (const auto& [id, slot] : slots_) {
    if (slot.units[unit]) world_.violated("a GPU is looked at while a process is on it");
  }
  const bool known = world_.random.chance(0.9);
  const auto answer = !known       ? worker::GpuAnswer::unknown
                      : dead[unit] ? worker::GpuAnswer::lost
                                   : worker::GpuAnswer::works;
  const std::uint64_t life = ++last_token_;
  looking_[action.gpu] = life;
  world_.after(world_.random.between(1ms, 2s), [this, gpu = action.gpu, life, answer] {
    const auto look = looking_.find(gpu);
    if (look == looking_.end() || look->second != life) return;
    looking_.erase(look);
    seen_[gpu] = answer;
    deliver_(worker::GpuSeen{gpu, answer, "as drawn"});
  });
}

void FakeSlots::has_answered(std::uint32_t gpu) {
  for (auto& [attempt, gpus] : unanswered_) gpus.reset(worker::kCoresMax + gpu);
}

void FakeSlots::perform(const worker::GiveUpGpu& action) {
  if (seen_[action.gpu] == worker::GpuAnswer::works) world_.violated("a GPU that works is given up");
  const std::size_t unit = worker::kCoresMax + action.gpu;
  given_up_.set(unit);
  for (const auto& [attempt, gpus] : unanswered_) {
    if (gpus[unit]) lost_under_.insert(attempt);
  }
  forget_given_up();
}

// A slot that is stuck without any other work is ignored from then on.
void FakeSlots::forget_given_up() {
  std::erase_if(slots_, [this](const auto& entry) { return is_given_up(entry.second); });
}

void FakeSlots::perform(const worker::GiveUpCores& action) {
  worker::UnitSet of_stuck;
  for (const auto& [id, slot] : slots_) {
    if (slot.stuck) of_stuck |= slot.units;
  }
  if (action.cores.none() || (action.cores & ~of_stuck).any())
    world_.violated("cores are given up of which no process is stuck");
  if ((action.cores & given_up_).any()) world_.violated("cores are given up twice");
  given_up_ |= action.cores;
  forget_given_up();
}

void FakeSlots::perform(const worker::KeepBackOutcome& action) {
  unanswered_[action.outcome.attempt] = ran_on_[action.outcome.attempt];
}

void FakeSlots::perform(const worker::TellOutcome& action) {
  unanswered_.erase(action.attempt);
  const bool lost = lost_under_.erase(action.attempt) > 0;
  if (lost != action.lost_gpu.has_value())
    world_.violated("a lost GPU is held against the job, or a working one against its host: " +
                    text_of(action.attempt));
}

void FakeSlots::begin_next(Fake& fake) {
  ++fake.begun;
  fake.since = world_.now;
}

void FakeSlots::measure_next(SlotId id, Fake& fake) {
  const AttemptId& attempt = fake.run[fake.next].attempt;
  const Duration busy = script_.busy(attempt);
  const double roll = world_.faults ? static_cast<double>(world_.random.below(1000)) / 1000 : 1.0;
  if (script_.killer(attempt)) return later(id, busy / 2, [this](Fake&) { kill_host_(); });
  if (script_.poison(attempt) || roll < 0.005 || broken)
    return exit_later(id, busy, Outcome::signal, "killed by SIGSEGV");
  if (roll < 0.01) return;  // hangs
  if ((fake.units & dead).any()) {
    if (world_.random.chance(0.2)) return;  // hangs
    if (world_.random.chance(0.2)) return exit_later(id, busy, Outcome::signal, "killed by SIGABRT");
  }
  later(id, busy, [this, id, busy](Fake& slot) {
    if (!slot.leased && !world_.calm && world_.random.chance(0.3)) return check(id, slot, busy);
    if (slot.leased || slot.alone || world_.calm || world_.random.chance(0.8))
      return measured(id, slot, Outcome::ok, busy);
    slot.alone = true;
    slot.zone.reset();
    slot.doing = Doing::quiet;
    deliver_(worker::LeaseRequested{id, true});
  });
}

// Without the lease.
void FakeSlots::check(SlotId id, Fake& fake, Duration busy) {
  fake.zone.reset();
  fake.doing = Doing::working;
  deliver_(worker::LeaseReturned{id});
  if (world_.faults && world_.random.chance(0.01)) return;  // hangs
  later(id, world_.random.between(100us, 5ms),
        [this, id, busy](Fake& slot) { measured(id, slot, Outcome::ok, busy); });
}

void FakeSlots::measured(SlotId id, Fake& fake, Outcome outcome, Duration busy) {
  const AttemptId attempt = fake.run[fake.next++].attempt;
  const bool is_dead = (fake.units & dead).any();
  measurements_.push_back({attempt, hardware_});
  const auto payload = static_cast<std::uint32_t>(measurements_.size() - 1);
  const bool done = is_dead || (world_.faults && world_.random.chance(0.003));
  const bool says_so = done && world_.random.chance(0.5);
  if (is_dead || (done && world_.random.chance(0.5))) outcome = Outcome::failed_run;
  const bool more = fake.next < fake.run.size() && !done;
  fake.done = done;
  if (more) {
    begin_next(fake);
    measure_next(id, fake);
  } else {
    fake.run.clear();
    fake.zone.reset();
    fake.doing = Doing::quiet;
  }
  const bool disturbed = world_.faults && world_.random.chance(0.1);
  deliver_(worker::OutcomesMeasured{{{id, attempt, outcome, busy, payload, done, says_so, disturbed}}});
}

}  // namespace kernsweep::simulation
