#include "worker/slot/watch/disturbance.hpp"

#include <algorithm>

namespace kernsweep {
namespace {

double lower_known(double a, double b) {
  if (a <= 0 || b <= 0) return std::max(a, b);
  return std::min(a, b);
}

}  // namespace

std::string_view name_of(Cause cause) {
  return cause == Cause::none ? "none" : name_of(doubt_cause_of(cause));
}

std::string listed(const CauseCounts& counts) {
  std::string text;
  for (std::size_t cause = 1; cause < kCauses; ++cause) {
    if (counts[cause] == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Cause>(cause))) + " " +
            std::to_string(counts[cause]);
  }
  return text;
}

Cause DisturbanceRule::judge(const EdgeReading& before, const EdgeReading& after,
                             double reference_ghz) const {
  const double clock = lower_known(before.clock_ghz, after.clock_ghz);
  if (clock > 0 && reference_ghz > 0 && clock < clock_share_ * reference_ghz) return Cause::clock;
  if (before.cpu >= 0 && after.cpu >= 0 && before.cpu != after.cpu) return Cause::migrated;
  if (switches_count_ && after.involuntary_switches > before.involuntary_switches) return Cause::switched;
  if (after.major_faults > before.major_faults) return Cause::major_fault;
  return Cause::none;
}

}  // namespace kernsweep
