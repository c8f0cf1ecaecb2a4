// The timed section: warm-up, then samples until the stopping rule has enough.
//
// The slot does nothing else meanwhile: no message is sent or read, no memory is allocated that grows with
// the number of samples beyond a reserved block. One sample is `calls` calls in a row, so many that reading
// the clock costs less than 1e-4 of it (block_size.hpp), or that a device's own clock is 1,000 times finer;
// with a cold cache that is made cold by force, for latency, with a device that takes one call at a time,
// or without any warm-up, it is one call.
//
// A watch (section_watch.hpp) looks at the surroundings between windows of samples, and warming up goes on
// until it finds the clock stable. Sections too short to be watched have none. Where the caches are emptied
// before each sample, a window is one sample and begins after that.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "shared/base/instant.hpp"
#include "shared/base/rules.hpp"
#include "worker/slot/measure/block_size.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/slot/watch/section_watch.hpp"

namespace kernsweep {

// In seconds. No call takes less on any machine: a clock that says so has not moved, or is no clock.
constexpr double kShortestCall = 1e-12;

struct Samples {
  std::vector<double> seconds;  // per call
  std::uint64_t calls = 1;      // per sample
  std::string_view stopped_by;
  double noise = 0;
  double warmup_s = 0;            // of the calls before the first sample
  std::uint64_t warmup_runs = 0;  // those of blocks that turned out too short for a sample included
  // What reading the clock took of a median sample. 0 where a device has its own, and for what is neither
  // watched nor warmed up: nobody asks for more than a look, and at 100,000 jobs a second it would cost.
  double timer_share = 0;
  std::optional<SectionConditions> conditions;  // watched sections
  ks_status status = KS_OK;  // of the first call that failed; KS_FAILED also for a time that is none
  std::string why;           // the time was none: in words; empty otherwise
};

// The clock's own cost, in seconds per reading; measured once per process.
double timer_cost();

// Calls go over `states` in turns, at least one. Several are cold by themselves (rotation.hpp); with one,
// `evict` empties the caches before each sample of a cold measurement, outside the timed part.
// `watch`: null for a section that is not watched. `queued`: of the variant; latencies and first
// calls are measured without.
Samples sample(const ks_variant& variant, std::span<void* const> states, const MeasureRules& rules,
               const std::function<void()>& evict, SectionWatch* watch = nullptr,
               const QueuedRuns& queued = {});
inline Samples sample(const ks_variant& variant, void* state, const MeasureRules& rules,
                      const std::function<void()>& evict, SectionWatch* watch = nullptr,
                      const QueuedRuns& queued = {}) {
  return sample(variant, {&state, 1}, rules, evict, watch, queued);
}

}  // namespace kernsweep
