#include "worker/slot/measure/first_call.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "worker/host/children.hpp"

namespace kernsweep {
namespace {

double process_time() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::uint64_t involuntary_switches() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<std::uint64_t>(used.ru_nivcsw);
}

// Of all code that is mapped into this process: libraries, and what compilers have made.
std::uint64_t code_bytes() {
  std::ifstream maps("/proc/self/maps");
  std::uint64_t sum = 0;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0;
    std::array<char, 8> may{};
    if (std::sscanf(line.c_str(), "%llx-%llx %7s", &begin, &end, may.data()) == 3 && may[2] == 'x')
      sum += end - begin;
  }
  return sum;
}

// Threads and children of this process.
std::size_t helpers() {
  return children_of_this_process().size() + threads_of(getpid()).size();
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

FirstCallClock::FirstCallClock()
    : begun_(monotonic_now()), worked_(process_time()), switches_(involuntary_switches()) {}

FirstCall FirstCallClock::read(const ks_variant& variant, void* state) const {
  if (!variant.elapsed)
    return {seconds(monotonic_now() - begun_), process_time() - worked_,
            involuntary_switches() - switches_};
  const double said = variant.elapsed(state);
  return std::isfinite(said) && said > 0 ? FirstCall{said, said, 0} : FirstCall{};
}

std::optional<std::string> about_first_call(const FirstCall& first, double median_s) {
  const double certain =
      std::min(first.seconds, first.worked_s) - kLostBySwitch * static_cast<double>(first.switches);
  if (certain <= kSlowFirstLeast || certain <= kSlowFirstFactor * median_s || !(median_s > 0))
    return std::nullopt;
  char text[160];
  std::snprintf(text, sizeof text,
                "the first call took %.3g s, %.3g times the median: it compiled or loaded something, or "
                "later calls return what it has stored",
                first.seconds, first.seconds / median_s);
  return text;
}

bool may_use_up(double first_s, double median_s) {
  constexpr double kFactor = 4, kLeast_s = 100e-6;
  return median_s > 0 && first_s > kFactor * median_s && first_s > median_s + kLeast_s;
}

bool worth_a_trial(double trial_s, double measured_s, bool slow) {
  constexpr double kShort_s = 0.5, kLongest_s = 30;
  return trial_s <= (slow ? kLongest_s : std::max(kShort_s, measured_s));
}

std::string about_used_up(double first_s, double again_s, double median_s) {
  char text[256];
  std::snprintf(text, sizeof text,
                "the first call took %.3g s, %.3g times the median, and %.3g s after its setup had run "
                "again: later calls find their data used up, or return what the first one has stored; "
                "each call must do the whole work",
                first_s, first_s / median_s, again_s);
  return text;
}

Preparations::Preparations() : code_(code_bytes()), resident_(resident_bytes()), helpers_(helpers()) {}

double Preparations::without_them(double seconds) const {
  constexpr double kTouchedPerS = 2e9;  // bytes; a page of 4 KiB takes up to 2 us
  const std::uint64_t resident = resident_bytes();
  const double touched = resident > resident_ ? static_cast<double>(resident - resident_) : 0;
  return code_bytes() > code_ || helpers() > helpers_ ? 0 : std::max(0.0, seconds - touched / kTouchedPerS);
}

}  // namespace kernsweep
