// How many threads worked in a timed section, from the processor time of each. Idle pools of earlier jobs
// do not count; nor does a thread that was requested and only waits. Everything but thread_times() is pure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kernsweep {

// Processor time in seconds since this process started.
struct ThreadTimes {
  std::vector<std::pair<int, double>> threads;  // existing threads, by the system's number
  // Of all threads and children, including ended ones. Read before the threads and again after them,
  // because threads continue to work meanwhile.
  double process_first_s = 0, process_last_s = 0;
  bool children = false;        // some children are alive: their time is in neither
  double ended_children_s = 0;  // their part of `process_first_s`
};

// Nothing: not readable. Takes some microseconds for each thread.
std::optional<ThreadTimes> thread_times();

// The schedule of a thread of this process since its start, from proc(5) (schedstat).
struct ThreadWait {
  int thread = 0;
  double ran_s = 0, waited_s = 0;  // on a core; ready, without one
  std::uint64_t turns = 0;         // how often it got a core
};
// Empty: not readable. Takes some microseconds for each thread.
std::vector<ThreadWait> thread_waits();

// The share of `span_s` for which the threads together waited for a core although each working thread could
// have one of `cores`: two of them shared one, or another process took it. 0: less than a tenth; or only
// until they woke up, which takes less than a quarter of a millisecond each time; or more threads worked.
double share_waited(const std::vector<ThreadWait>& before, const std::vector<ThreadWait>& after,
                    double span_s, std::uint32_t cores);

struct ThreadWork {
  std::vector<double> threads_s;  // of each thread that existed at the end
  double elsewhere_s = 0;         // at least: of threads and children that have ended meanwhile
  bool children = false;
  double sampled_s = 0;  // within samples
  double wall_s = 0;
  double children_s = 0;  // of `elsewhere_s`, at most
};

// `elsewhere_s` is a lower limit, however long the readings took.
ThreadWork work_between(const ThreadTimes& before, const ThreadTimes& after);

struct WorkedThreads {
  std::uint32_t count = 0;
  bool at_least = false;  // there may have been more threads
};

// A thread worked if it used at least 5 % of the time of the busiest one. `at_least`: part of the work was
// done by threads or processes that cannot be distinguished (a library that starts threads for each call, a
// program; one that ran while the threads here waited for it is not counted), or the busiest thread used
// more than twice the time of all samples: then its work between samples, such as emptying the caches,
// hides the work of other threads within them. Nothing: all threads together used less than a tenth of the
// wall time (a kernel that waits), or less than a millisecond.
std::optional<WorkedThreads> threads_that_worked(const ThreadWork& work);

}  // namespace kernsweep
