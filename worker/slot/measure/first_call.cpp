#include "worker/slot/measure/first_call.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

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

}  // namespace kernsweep
