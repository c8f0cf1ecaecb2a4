// The agent's shell: GPUs that a process has lost.
#include "shared/log.hpp"
#include "shared/result.hpp"
#include "worker/agent/shell.hpp"

namespace kernsweep::agency {

void Shell::act(const KeepBackOutcome& order) {
  kept_back_[order.outcome.attempt] = measured_outcome(order.outcome);
}

void Shell::act(const TellOutcome& order) {
  auto kept = kept_back_.extract(order.attempt);
  KS_ASSERT(!kept.empty());
  if (kept.mapped().stopped()) return act(ReturnJobs{{order.attempt}});
  held_.erase(order.attempt);
  keep(order.attempt, std::move(kept.mapped()));
}

void Shell::act(const LookAtGpu& order) {
  looks_.begin(order.gpu, equipment_.gpus.gpus(static_cast<int>(order.gpu)).uuid(), now_);
}

void Shell::read_looks() {
  for (const GpuSeen& seen : looks_.take(now_)) apply(seen);
}

// The coordinator hears of it by a hello: what a host has to offer is said there and nowhere else. What
// goes back for lack of a GPU is said after the welcome, because the hello names it as held.
void Shell::act(const GiveUpGpu& order) {
  equipment_.lost_gpus[order.gpu] = order.reason;
  const wire::Gpu& gpu = equipment_.gpus.gpus(static_cast<int>(order.gpu));
  log_line(LogLevel::warning,
           "GPU " + gpu.name() + " " + gpu.uuid() +
               " is lost and given to no job any more: " + order.reason +
               "; look at nvidia-smi, and for Xid in dmesg, and start this worker again when it is back");
  gpus_changed_ = true;
  if (session_ != 0) say_hello();
}

}  // namespace kernsweep::agency
