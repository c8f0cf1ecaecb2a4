// The timed section: warm-up, then samples until the stopping rule has enough.
//
// The slot does nothing else meanwhile: no message is sent or read, and memory for samples is reserved
// before. One sample is `calls` calls in a row: so many that reading the clock takes less than 1e-4 of the
// time (block_size.hpp), or that the time is 1,000 times the resolution of a device's clock. A sample is
// one call in four cases: something is done before each call (BetweenCalls), the metric is latency, there
// is no warm-up, or the device has a clock of its own but no queue or several states.
//
// A watch (section_watch.hpp) reads the conditions between windows of samples, and the warm-up continues
// until its clock is stable. Sections that are too short have no watch. If the caches are emptied before
// each sample, or operands written back, a window is one sample and begins after that.
//
// The processor's events are counted in further blocks of calls after the last sample, because counting
// takes time: Linux saves counters whenever a thread stops, and copies them for each new one.
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
#include "worker/slot/measure/first_call.hpp"
#include "worker/slot/pack/pack.hpp"
#include "worker/slot/watch/section_watch.hpp"

namespace kernsweep {

// In seconds. No call is shorter on any machine; a clock that reports less has not advanced, or is faulty.
constexpr double kShortestCall = 1e-12;

struct Samples {
  std::vector<double> seconds;  // per call
  // The number of the run of each sample, from 0, warm-up included; empty if runs report no samples of
  // their own (ks_variant::samples).
  std::vector<std::uint64_t> runs;
  std::uint64_t calls = 1;  // per sample
  std::string_view stopped_by;
  double noise = 0;
  double warmup_s = 0;            // of the calls before the first sample
  std::uint64_t warmup_runs = 0;  // including those of blocks that were too short for a sample
  FirstCall first;                // of the warm-up; not known without one
  // The share of a median sample that reading the clock took. 0 if a device has its own clock, and for
  // throughput sections without watch, warm-up and emptied caches, where measuring it would cost too much.
  double timer_share = 0;
  double starting_share = 0;  // of a median sample: the time to start its calls (QueuedRuns::starting_s)
  std::optional<SectionConditions> conditions;  // watched sections
  CounterTotals counted;  // watched sections, of calls after the samples; no events: not counted
  std::uint64_t counted_calls = 0;
  ks_status status = KS_OK;  // first status that was not KS_OK; KS_FAILED also if a time is not valid
  std::string why;           // why a time is not valid; empty otherwise
};

// Work around a call that is not timed; empty: nothing. The operands are written back first.
struct BetweenCalls {
  std::function<void()> evict;              // empties the caches, for a cold section with one state
  std::function<void()> restore;            // writes back the operands that the last call has overwritten
  std::function<void()> warmed_up;          // once, before the first sample
  double (*waited)(void* state) = nullptr;  // ks_variant::waited, after a call of a watched section
};

// Cost of the host's clock in seconds per reading; measured once per process.
double timer_cost();

// Calls use `states` in turn; there must be at least one. With several the cache is cold automatically
// (rotation.hpp); with one, `between.evict` is called before each sample of a cold measurement. `watch`:
// null for a section that is not watched. `queued`: those of the variant; not used for latency and without
// warm-up.
Samples sample(const ks_variant& variant, std::span<void* const> states, const MeasureRules& rules,
               const BetweenCalls& between, SectionWatch* watch = nullptr, const QueuedRuns& queued = {});
inline Samples sample(const ks_variant& variant, void* state, const MeasureRules& rules,
                      const BetweenCalls& between, SectionWatch* watch = nullptr,
                      const QueuedRuns& queued = {}) {
  return sample(variant, {&state, 1}, rules, between, watch, queued);
}

}  // namespace kernsweep
