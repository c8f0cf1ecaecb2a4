// The worker's shell: GPUs that a process may have lost, and GPUs and cores that are no longer used.
#include "shared/base/log.hpp"
#include "shared/base/result.hpp"
#include "shared/text/counted.hpp"
#include "worker/shell.hpp"

namespace kernsweep::worker {

void Shell::act(const KeepBackOutcome& order) {
  const bool stopped = stopped_with_us(order.outcome);
  wire::Outcome& kept = kept_back_[order.outcome.attempt] = outcome_as(order.outcome);
  kept.set_stopped(stopped);
}

void Shell::act(const TellOutcome& order) {
  auto kept = kept_back_.extract(order.attempt);
  KS_ASSERT(!kept.empty());
  if (kept.mapped().stopped()) return act(ReturnJobs{{order.attempt}});
  if (order.lost_gpu) set_gpu_lost(kept.mapped(), *order.lost_gpu);
  keep(order.attempt, std::move(kept.mapped()));
}

// The coordinator retries the job elsewhere, and gives up a job that loses several GPUs.
void Shell::set_gpu_lost(wire::Outcome& outcome, std::uint32_t gpu) const {
  wire::OutcomeBody body;
  if (!body.ParseFromString(outcome.body())) body.Clear();  // a faulty kernel can damage the message
  const std::string kind = body.reason();
  body.set_reason("its GPU " + equipment_.gpus.gpus(static_cast<int>(gpu)).uuid() + " was lost: " +
                  equipment_.lost_gpus.at(gpu) + (kind.empty() ? "" : "; the job: " + kind));
  outcome.set_body(body.SerializeAsString());
  outcome.set_outcome(static_cast<std::uint32_t>(Outcome::worker_lost));
}

void Shell::act(const LookAtGpu& order) {
  looks_.begin(order.gpu, equipment_.gpus.gpus(static_cast<int>(order.gpu)).uuid(), now_);
}

void Shell::read_looks() {
  for (const GpuSeen& seen : looks_.take(now_)) apply(seen);
}

// The coordinator is informed by a new hello, the only message with the resources of a host. Jobs that are
// returned for lack of a GPU are returned after the welcome, because the hello lists them as held.
void Shell::act(const GiveUpGpu& order) {
  equipment_.lost_gpus[order.gpu] = order.reason;
  const wire::Gpu& gpu = equipment_.gpus.gpus(static_cast<int>(order.gpu));
  log_line(LogLevel::warning,
           "GPU " + gpu.name() + " " + gpu.uuid() + " is lost and will not be used again: " + order.reason +
               "; look at nvidia-smi, and for Xid in dmesg, and start this worker again when it is back");
  offer_changed_ = true;
  if (session_ != 0) say_hello();
}

void Shell::act(const GiveUpCores& order) {
  LostCores now_lost;
  for (std::size_t core = 0; core < topology_.cores.size(); ++core) {
    if (order.cores.test(core)) now_lost[static_cast<std::uint32_t>(core)] = order.reason;
  }
  equipment_.lost_cores.insert(now_lost.begin(), now_lost.end());
  const std::size_t left = topology_.cores.size() - equipment_.lost_cores.size();
  log_line(LogLevel::warning,
           text_of(topology_, now_lost) + " of this host will not be used again: " + order.reason + "; " +
               counted(left, "core is", "cores are") +
               " left. See what the process waits for (state D in `ps -o pid,stat,wchan,args -C "
               "kernsweep-slot`: a disk, a network folder, a driver), and start this worker again when it "
               "is gone");
  offer_changed_ = true;
  if (session_ != 0) say_hello();
}

}  // namespace kernsweep::worker
