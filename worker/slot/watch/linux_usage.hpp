// Processor time from getrusage.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "worker/slot/watch/disturbance.hpp"

namespace kernsweep {

// Seconds, user and system.
inline double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The schedule of the calling thread, whose file in /proc is opened once. Takes about a microsecond.
ThreadSchedule schedule_of_this_thread();

// The children that the first thread has started or adopted and that were not waited for, separated by
// blanks, as proc(5) lists them. One system call.
std::string children_of_first_thread();

// The use of this process's children: the processor time of ended ones, and of living ones that its first
// thread has started; involuntary switches of the ended ones.
struct ChildrenUse {
  double cpu_s = 0;
  std::uint64_t switches = 0;
};
// Takes some microseconds.
ChildrenUse use_of_children();

// The processor time of another, living process: all its threads and its ended children; 0: not readable.
double cpu_seconds_of(int process);
// The processor time of all living processes that descend from it; nothing: the system does not list them.
std::optional<double> cpu_seconds_of_descendants(int process);

// A process below this one.
struct ProcessBelow {
  int process = 0;
  double cpu_s = 0;          // of all its threads, and of its ended children
  bool has_ended = false;    // its parent has not waited for it yet
  bool is_ready = false;     // it computes, or waits for a core or a disk
  std::uint64_t faults = 0;  // pages that needed no disk
};

// Processor time of this process and all below it; each second is in one of these.
struct TreeTime {
  double this_thread_s = 0, other_threads_s = 0;
  double waited_for_s = 0;  // of children that have ended
  std::vector<ProcessBelow> processes;
  bool is_listed = true;  // false: the system does not list the processes below this one

  double below_s() const {
    double sum = waited_for_s;
    for (const ProcessBelow& each : processes) sum += each.cpu_s;
    return sum;
  }
  double all_s() const { return this_thread_s + other_threads_s + below_s(); }
};

// Takes a microsecond, and some tens of microseconds for each process below this one.
TreeTime tree_time();

}  // namespace kernsweep
