// GPUs that a process may have lost are checked, then kept or given up. So are the cores and GPUs of a
// process that cannot be killed.
#include <utility>

#include "worker/core/state.hpp"

#include "shared/text/counted.hpp"

namespace kernsweep::worker {

namespace {

bool has(const UnitSet& units, std::uint32_t gpu) {
  return units[kCoresMax + gpu];
}

}  // namespace

// If the job has several GPUs, it is not known which one it has lost: each is checked, and the loss counts
// for none.
void Core::State::doubt(const Slot& slot, const Measured& event) {
  const UnitSet gpus = slot.units & every_gpu();
  if (event.outcome == Outcome::ok) {
    in_doubt |= gpus;
    return report(event.attempt, event.outcome, event.payload, "", event.slot, slot.neighbours);
  }
  for (std::uint32_t gpu = 0; gpu < layout.gpus && event.device_lost && count_gpus(gpus) == 1; ++gpu) {
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
  for (std::uint32_t gpu = 0; gpu < layout.gpus && !stopped; ++gpu) {
    if (has(gone.units & in_doubt, gpu)) actions->emplace_back(LookAtGpu{gpu});
  }
}

void Core::State::on(const GpuSeen& event) {
  if (event.gpu >= layout.gpus || !has(in_doubt, event.gpu)) return;
  in_doubt.reset(kCoresMax + event.gpu);
  if (event.answer == GpuAnswer::works) losses[event.gpu].clear();
  if (event.answer == GpuAnswer::lost) {
    return give_up(event.gpu, event.why);
  }
  if (losses[event.gpu].size() >= options.gpu_losses_max) {
    return give_up(event.gpu, counted(losses[event.gpu].size(), "job", "jobs in a row") +
                                  " reported it lost, and its state cannot be checked: " + event.why);
  }
  tell_of(event.gpu, false);
}

void Core::State::give_up(std::uint32_t gpu, std::string reason) {
  all_units.reset(kCoresMax + gpu);
  in_doubt.reset(kCoresMax + gpu);
  losses[gpu].clear();
  actions->emplace_back(GiveUpGpu{gpu, std::move(reason)});
  tell_of(gpu, true);
}

// A job that lost one of its GPUs counts as one whose worker was lost; any other keeps its outcome.
void Core::State::tell_of(std::uint32_t gpu, bool lost) {
  std::vector<KeptBack> waiting;
  for (KeptBack& kept : kept_back) {
    if (has(kept.unanswered, gpu) && lost && !kept.lost_gpu) kept.lost_gpu = gpu;
    kept.unanswered.reset(kCoresMax + gpu);
    if (kept.unanswered.any()) {
      waiting.push_back(kept);
      continue;
    }
    here.erase(kept.attempt);
    actions->emplace_back(TellOutcome{kept.attempt, kept.lost_gpu});
  }
  kept_back = std::move(waiting);
}

// The slot was killed and hangs in the kernel. The core stops waiting for it, because its leases would
// block others for ever.
void Core::State::cannot_be_ended(SlotId id) {
  const auto found = slots.find(id);
  Slot stuck = std::move(found->second);
  slots.erase(found);
  const std::string not_gone = " was killed, and is not gone after " + in_seconds(options.exit_limit);
  in_doubt |= stuck.units & all_units & every_gpu();
  if (stuck.overstay) stuck.overstay->reason += "; its process" + not_gone;
  if (stuck.state == SlotState::starting) {
    unstartable(stuck);
  } else if (!stuck.run.empty()) {
    run_failed(stuck, {id, Outcome::signal, "its process" + not_gone});
  }
  for (std::uint32_t gpu = 0; gpu < layout.gpus; ++gpu) {
    if (has(stuck.units & all_units, gpu)) give_up(gpu, "a process that uses it" + not_gone);
  }
  give_up_cores(stuck.units & all_units & all_cores, "a process that ran there" + not_gone);
}

// The job of the failed start is not retried here: it could cost more cores.
void Core::State::unstartable(Slot& stuck) {
  if (stuck.run.empty()) return;
  const AttemptId head = stuck.run.front().order.attempt;
  stuck.run.pop_front();
  report(head, Outcome::timeout_setup, std::nullopt, stuck.overstay ? stuck.overstay->reason : "",
         stuck.id);
  requeue(stuck, false);
}

void Core::State::give_up_cores(const UnitSet& cores, std::string reason) {
  if (cores.none()) return;
  all_units &= ~cores;
  actions->emplace_back(GiveUpCores{cores, std::move(reason)});
}

void Core::State::return_what_never_fits() {
  if (gpus_left() == layout.gpus && cores_left() == layout.cores) return;
  std::unordered_set<AttemptId> attempts;
  for (const Queued& queued : queue) {
    if (queued.order.gpus > gpus_left() || queued.order.cores > cores_left())
      attempts.insert(queued.order.attempt);
  }
  if (!attempts.empty()) actions->emplace_back(ReturnJobs{give_back(attempts, false)});
}

}  // namespace kernsweep::worker
