// The state of a process that a job may change and that would affect the next one: cores, folder, umask,
// limits, signals, timers, priority, environment, rounding, settings of OpenMP, locale, user, and further
// settings (process_settings.hpp). Of the calling thread, where a thread has its own.
#pragma once

#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "worker/slot/watch/process_settings.hpp"

namespace kernsweep {

class ProcessState {
 public:
  // About 120 system calls, some microseconds.
  static ProcessState now();

  // Restores all values that differ from this state. Returns what cannot be restored, for display: "the
  // priority is 5, it was 0". Cores are not changed if a variable requests OpenMP to bind the calling
  // thread (OMP_PROC_BIND and others) and they are some of its former ones.
  std::vector<std::string> give_back() const;

 private:
  static constexpr int kTimers = 3;  // ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF

  void give_back_cores(const ProcessState& changed, std::vector<std::string>& left) const;
  void give_back_limits(const ProcessState& changed, std::vector<std::string>& left) const;
  void give_back_signals(const ProcessState& changed) const;
  void give_back_schedule(const ProcessState& changed, std::vector<std::string>& left) const;
  void give_back_environment(const ProcessState& changed) const;

  cpu_set_t cores_{};
  std::string folder_, locale_;
  mode_t umask_ = 0;
  std::array<rlimit, RLIM_NLIMITS> limits_{};
  std::array<struct sigaction, NSIG> actions_{};
  sigset_t blocked_{};
  std::array<itimerval, kTimers> timers_{};
  int nice_ = 0, policy_ = 0;
  sched_param schedule_{};
  unsigned rounding_ = 0;  // control bits of the units for floats
  // Of OpenMP: threads, whether it may choose fewer, levels of teams, how loops are divided.
  std::optional<std::array<int, 5>> team_;
  ProcessSettings settings_;
  std::array<uid_t, 3> users_{};
  std::vector<std::string> environment_;  // sorted
};

}  // namespace kernsweep
