// GPUs that a process may have lost: looked at, kept or given up.
#include <utility>

#include "worker/agent/core_state.hpp"

namespace kernsweep::agency {

namespace {

bool has(const UnitSet& units, std::uint32_t gpu) {
  return units[kCoresMax + gpu];
}

}  // namespace

// Of several GPUs nobody knows which one the job has lost: each is looked at, and none has it counted.
void Core::State::doubt(const Slot& slot, const Measured& event) {
  const UnitSet gpus = slot.units & every_gpu();
  if (event.outcome == Outcome::ok) {
    in_doubt |= gpus;
    return report(event.attempt, event.outcome, event.payload, "", event.slot, slot.neighbours);
  }
  for (std::uint32_t gpu = 0; gpu < stage.gpus && event.device_lost && count_gpus(gpus) == 1; ++gpu) {
    if (has(gpus, gpu)) losses[gpu].insert(event.attempt.job);
  }
  keep_back(slot, {event.attempt, event.outcome, event.payload, "", event.slot, slot.neighbours});
}

void Core::State::keep_back(const Slot& slot, ReportOutcome outcome) {
  const UnitSet gpus = slot.units & every_gpu();
  in_doubt |= gpus;
  kept_back.push_back({outcome.attempt, gpus});
  actions->emplace_back(KeepBackOutcome{std::move(outcome)});
}

void Core::State::look_at_doubted(const Slot& gone) {
  for (std::uint32_t gpu = 0; gpu < stage.gpus && !stopped; ++gpu) {
    if (has(gone.units & in_doubt, gpu)) actions->emplace_back(LookAtGpu{gpu});
  }
}

void Core::State::on(const GpuSeen& event) {
  if (event.gpu >= stage.gpus || !has(in_doubt, event.gpu)) return;
  in_doubt.reset(kCoresMax + event.gpu);
  if (event.answer == GpuAnswer::works) losses[event.gpu].clear();
  if (event.answer == GpuAnswer::lost) {
    give_up(event.gpu, event.why);
  } else if (losses[event.gpu].size() >= options.gpu_losses_max) {
    give_up(event.gpu, std::to_string(losses[event.gpu].size()) +
                           " jobs in a row have lost it, and it cannot be asked: " + event.why);
  }
  settle_kept_back();
  return_what_needs_more_gpus();
}

void Core::State::give_up(std::uint32_t gpu, std::string reason) {
  all_units.reset(kCoresMax + gpu);
  losses[gpu].clear();
  actions->emplace_back(GiveUpGpu{gpu, std::move(reason)});
}

void Core::State::settle_kept_back() {
  std::vector<KeptBack> waiting;
  for (KeptBack& kept : kept_back) {
    if ((kept.gpus & in_doubt).any()) {
      waiting.push_back(kept);
      continue;
    }
    TellOutcome told{kept.attempt, {}};
    for (std::uint32_t gpu = 0; gpu < stage.gpus && !told.lost_gpu; ++gpu) {
      if (has(kept.gpus & ~all_units, gpu)) told.lost_gpu = gpu;
    }
    here.erase(kept.attempt);
    actions->emplace_back(told);
  }
  kept_back = std::move(waiting);
}

void Core::State::return_what_needs_more_gpus() {
  std::unordered_set<AttemptId> attempts;
  for (const Queued& queued : queue) {
    if (queued.order.gpus > gpus_left()) attempts.insert(queued.order.attempt);
  }
  if (!attempts.empty()) actions->emplace_back(ReturnJobs{give_back(attempts, false)});
}

}  // namespace kernsweep::agency
