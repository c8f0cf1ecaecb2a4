#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "worker/host/children.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {
namespace {

// By getline, because an iterator throws if the process ends between opening and reading.
std::string content_of(int process, const char* file) {
  std::ifstream in("/proc/" + std::to_string(process) + "/" + file);
  std::string text;
  std::getline(in, text, '\0');
  return text;
}

double on_clock(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// proc(5): the state is field 3, minflt is 10, cutime and cstime are 16 and 17; field 2 is in parentheses
// and may have blanks.
ProcessBelow process_of(int process) {
  ProcessBelow out{process, 0, false, false, 0};
  clockid_t clock{};
  if (clock_getcpuclockid(process, &clock) == 0) out.cpu_s = on_clock(clock);
  const std::string text = content_of(process, "stat");
  const auto end_of_name = text.rfind(')');
  if (end_of_name == std::string::npos) return out;
  std::istringstream rest(text.substr(end_of_name + 1));
  std::string state, skipped;
  rest >> state;
  out.has_ended = state == "Z" || state == "X";
  out.is_ready = state == "R" || state == "D";
  constexpr int kToFaults = 6, kToTimes = 5;  // fields 4 to 9, 11 to 15
  for (int field = 0; field < kToFaults; ++field) rest >> skipped;
  rest >> out.faults;
  for (int field = 0; field < kToTimes; ++field) rest >> skipped;
  double user = 0, system = 0;
  if (rest >> user >> system) out.cpu_s += (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return out;
}

}  // namespace

std::optional<double> cpu_seconds_of_descendants(int process) {
  const auto all = descendants_of(process);
  if (!all) return std::nullopt;
  double sum = 0;
  for (const pid_t each : *all) sum += cpu_seconds_of(each);
  return sum;
}

double cpu_seconds_of(int process) {
  return process_of(process).cpu_s;
}

TreeTime tree_time() {
  TreeTime out;
  rusage children{};
  if (getrusage(RUSAGE_CHILDREN, &children) == 0) out.waited_for_s = cpu_seconds(children);
  const auto below = descendants_of(getpid());
  out.is_listed = below.has_value();
  if (below)
    for (const pid_t each : *below) out.processes.push_back(process_of(each));
  out.this_thread_s = on_clock(CLOCK_THREAD_CPUTIME_ID);
  out.other_threads_s = std::max(0.0, on_clock(CLOCK_PROCESS_CPUTIME_ID) - out.this_thread_s);
  return out;
}

}  // namespace kernsweep
