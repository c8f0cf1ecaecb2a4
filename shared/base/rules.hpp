// How a point is to be measured, verified, limited and retried: `measure`, `verify`, `timeout` and `retry`
// of a sweep file. A test compares the defaults with docs/reference/sweep-language.md and the JSON Schema.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/reference_rule.hpp"

namespace kernsweep {

// The largest number of threads and of copies that a job may request.
inline constexpr std::int64_t kThreadsOfJobMax = (1 << 20) - 1;
inline constexpr std::int64_t kCopiesOfJobMax = 1024;

enum class Cache : std::uint8_t { hot = 1, cold = 2 };
// The cores that a lease keeps free of other jobs while a section is timed.
enum class Exclusion : std::uint8_t { host = 1, numa, cache, core };
// What a sample is: the mean of many calls in a row, or one call, if the tail of latencies matters.
enum class Metric : std::uint8_t { throughput = 1, latency };
// What happens if the process of a job does not have the requested settings: a worse grade, or a failure.
enum class AskedRule : std::uint8_t { grade = 1, fail };
enum class Order : std::uint8_t { interleave = 1, sequential, shuffle };
enum class Hosts : std::uint8_t { any = 1, each };

struct WarmupRules {
  std::uint64_t min_runs = 1;
  Duration min_time = 100ms;
  Duration max_time = 3s;
  friend bool operator==(const WarmupRules&, const WarmupRules&) = default;
};

struct SampleRules {
  std::uint64_t min = 10;
  std::uint64_t max = 2000;
  Duration min_time = 500ms;
  Duration max_time = 15s;
  friend bool operator==(const SampleRules&, const SampleRules&) = default;
};

struct StopRules {
  double noise = 0.005;   // relative error of the median at which sampling may end; 0: never by noise
  bool or_stable = true;  // or when the spread of the samples no longer changes
  friend bool operator==(const StopRules&, const StopRules&) = default;
};

// Which samples of a watched section are left out.
struct DiscardRules {
  double clock = 0.9;  // a window whose clock is below this share of the job's own reference is disturbed
  double share = 0.2;  // of all samples: at most so many are left out; if more are disturbed, all are kept
  friend bool operator==(const DiscardRules&, const DiscardRules&) = default;
};

struct VerifyRules {
  bool enabled = true;
  ReferenceRule reference;
  // Relative, by dtype. "relative" and "absolute" replace these parts of the family's own tolerance for the
  // dtypes that are missing.
  std::map<std::string, double> tolerance;
  std::uint32_t repeat = 2;            // runs whose outputs are compared bit by bit
  AskedRule asked = AskedRule::grade;  // when threads, cores, environment are not as asked for
  bool distrust = false;               // the kernel's author is not trusted: docs/distrust.md
  friend bool operator==(const VerifyRules&, const VerifyRules&) = default;
};

// Which of these rules cannot be kept for a distrusted kernel, and what to write instead; empty: all can be
// kept. `cold`: the job has cold caches.
std::string unkept_distrust(const VerifyRules& rules, bool cold);

// The rules that decide how a slot measures one job; they are part of the job's key.
struct MeasureRules {
  Cache cache = Cache::hot;
  WarmupRules warmup;
  SampleRules samples;
  StopRules stop;
  Exclusion alone_on = Exclusion::host;
  VerifyRules verify;
  bool quick = false;  // --quick: a first look, marked as such
  DiscardRules discard;
  Metric metric = Metric::throughput;
  double interference = 0.05;  // share of the jobs that are measured again without other jobs on the host
  friend bool operator==(const MeasureRules&, const MeasureRules&) = default;
};

// A job whose warm-up and sampling take less than this is not watched: watching would take longer than the
// job, and ticks of the host's clock are longer. Two kinds of jobs are always watched: those that measure
// latency, and those that fail if settings are wrong.
constexpr Duration kWatchedFrom = 20ms;
inline bool watched(const MeasureRules& rules) {
  return rules.metric == Metric::latency || rules.verify.asked == AskedRule::fail ||
         rules.warmup.min_time + rules.samples.min_time >= kWatchedFrom;
}

struct TimeoutRules {
  Duration setup = 60s;
  Duration run = 120s;
  Duration build = 300s;
  Duration sweep{};  // 0: no limit
  friend bool operator==(const TimeoutRules&, const TimeoutRules&) = default;
};

struct RetryRules {
  std::uint32_t max = 2;
  std::vector<Outcome> on = {Outcome::worker_lost};
  bool on_throttled = true;  // `throttled` is a reason to measure again, not an outcome
  friend bool operator==(const RetryRules&, const RetryRules&) = default;
};

struct Rules {
  MeasureRules measure;
  TimeoutRules timeout;
  RetryRules retry;
  friend bool operator==(const Rules&, const Rules&) = default;
};

}  // namespace kernsweep
