// Processor time of each thread, from its own clock. Not from /proc/self/task/*/schedstat: the kernel
// updates that only at a tick or when the thread stops, which is milliseconds late for a running thread.
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string>

#include "worker/slot/watch/linux_usage.hpp"
#include "worker/slot/watch/thread_work.hpp"

namespace kernsweep {
namespace {

namespace fs = std::filesystem;

// The clock of a thread of this process by its number. pthread_getcpuclockid needs a pthread_t, which is
// not known for threads of libraries. The lowest three bits mean "of a thread, as scheduled".
clockid_t clock_of(int thread) {
  constexpr unsigned kOfThread = 4, kAsScheduled = 2;
  return static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | kOfThread | kAsScheduled);
}

std::optional<double> seconds_on(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Of this process and its children that have ended.
std::optional<double> process_seconds() {
  const auto own = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
  rusage children{};
  if (!own || getrusage(RUSAGE_CHILDREN, &children) != 0) return std::nullopt;
  return *own + cpu_seconds(children);
}

bool has_children() {
  siginfo_t ended{};
  return waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

}  // namespace

std::optional<ThreadTimes> thread_times() {
  ThreadTimes out;
  const auto first = process_seconds();
  std::error_code error;
  for (fs::directory_iterator at("/proc/self/task", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    int thread = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), thread).ec != std::errc()) continue;
    if (const auto used = seconds_on(clock_of(thread))) out.threads.emplace_back(thread, *used);
  }
  const auto last = process_seconds();
  if (error || out.threads.empty() || !first || !last) return std::nullopt;
  out.process_first_s = *first;
  out.process_last_s = *last;
  out.children = has_children();
  return out;
}

}  // namespace kernsweep
