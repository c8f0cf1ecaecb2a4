// How many threads worked in a timed section, from the processor time that each has used. Pools that
// earlier jobs have left asleep are not counted so, and a thread that was asked for and only waits is
// missed. All but thread_times() is pure: numbers in, numbers out.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace kernsweep {

// Of this process since it started, in seconds of processor time.
struct ThreadTimes {
  std::vector<std::pair<int, double>> threads;  // those that are there, by the system's number
  // All threads, those that have ended and children that have ended too; read before the threads and again
  // after them, because they go on working meanwhile.
  double process_first_s = 0, process_last_s = 0;
  bool children = false;  // some are alive: what these use is in neither
};

// Nothing: not readable. Some microseconds for each thread.
std::optional<ThreadTimes> thread_times();

struct ThreadWork {
  std::vector<double> threads_s;  // of each thread that was there at the end
  double elsewhere_s = 0;         // of threads and children that have ended meanwhile
  bool children = false;
  double sampled_s = 0;  // within samples
  double wall_s = 0;
};

// `elsewhere_s` is what it was at least, however long the readings took.
ThreadWork work_between(const ThreadTimes& before, const ThreadTimes& after);

struct WorkedThreads {
  std::uint32_t count = 0;
  bool at_least = false;  // there may have been more
};

// A thread worked when it used at least 5 % of what the busiest one did. `at_least`: where some of the work
// was done by threads or processes that cannot be told apart (a library that starts threads for each call,
// a program), or where the busiest thread used twice the time of all samples or more: then what the
// measuring thread did between them, such as emptying the caches, hides what others did within them.
// Nothing: all together used less than a tenth of the wall time (a kernel that waits), or less than a
// millisecond.
std::optional<WorkedThreads> threads_that_worked(const ThreadWork& work);

}  // namespace kernsweep
