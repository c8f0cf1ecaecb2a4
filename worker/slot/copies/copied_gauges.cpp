#include "worker/slot/copies/copied_gauges.hpp"

#include <unistd.h>

#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {
namespace {

class CopiedGauges : public Gauges {
 public:
  CopiedGauges(std::unique_ptr<Gauges> own, const RoundBoard& board, std::vector<int> processes)
      : own_(std::move(own)), board_(board), processes_(std::move(processes)) {}

  Instant now() override { return own_->now(); }
  double clock_ghz(double expected_ghz) override { return own_->clock_ghz(expected_ghz); }

  EdgeReading edge() override {
    EdgeReading out = own_->edge();
    const CopiesUse use = board_.use();
    out.involuntary_switches += use.involuntary_switches;
    out.major_faults += use.major_faults;
    if (out.schedule.waited_s >= 0) out.schedule.waited_s += use.waited_s;
    out.schedule.children_s = 0;  // these are the copies, which have cores of their own
    return out;
  }

  ProcessUse use() override {
    ProcessUse out = own_->use();
    if (!cpu_seconds_of_descendants(getpid()))  // otherwise it includes processes that this one has started
      for (const int process : processes_) out.cpu_s += cpu_seconds_of(process);
    out.minor_faults += board_.use().minor_faults;
    return out;
  }

  std::optional<ThreadTimes> threads() override { return own_->threads(); }
  std::optional<HostTimes> host_times() override { return own_->host_times(); }
  std::optional<double> energy_j() override { return own_->energy_j(); }
  HostState host_state() override { return own_->host_state(); }
  Throttling throttling() override { return own_->throttling(); }

 private:
  std::unique_ptr<Gauges> own_;
  const RoundBoard& board_;
  std::vector<int> processes_;
};

}  // namespace

std::unique_ptr<Gauges> gauges_of_copies(std::unique_ptr<Gauges> of_this, const RoundBoard& board,
                                         std::vector<int> processes) {
  return std::make_unique<CopiedGauges>(std::move(of_this), board, std::move(processes));
}

}  // namespace kernsweep
