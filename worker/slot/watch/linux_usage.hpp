// Processor time as getrusage gives it.
#pragma once

#include <sys/resource.h>

#include <optional>

#include "worker/slot/watch/disturbance.hpp"

namespace kernsweep {

// Seconds, user and system.
inline double cpu_seconds(const rusage& usage) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Of the calling thread, whose file in /proc is opened once. Takes about a microsecond.
ThreadSchedule schedule_of_this_thread();

// Of another process, which lives: processor time of all its threads and of its children that have ended;
// 0: not readable.
double cpu_seconds_of(int process);
// Of all processes that descend from it and live; nothing: the system does not list them.
std::optional<double> cpu_seconds_of_descendants(int process);

}  // namespace kernsweep
