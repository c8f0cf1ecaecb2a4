// Estimates how long a sweep takes on one idle host from its file alone.
#include <algorithm>

#include "language/check/explain.hpp"
#include "language/file/setting.hpp"
#include "language/space/axis.hpp"
#include "shared/text/environment_column.hpp"

namespace kernsweep {
namespace {

// Seconds. Measured with the shipped sweeps, see docs/internals/measurement.md.
constexpr double kStart = 0.1;         // start of a process with its libraries, at most
constexpr double kSetUp = 0.15;        // inputs, preparation and verification of a watched job, at most
constexpr double kShortSetUp = 0.002;  // the same for a job that is too short to be watched
constexpr double kRepeated = 0.1;      // share of the jobs that are retried
constexpr double kWarmUpTimes = 3;     // the usual maximum, as a multiple of the minimum
constexpr double kSamplingTimes = 10;
constexpr double kStable = 0.3;               // the clock is stable after this time of warming up
constexpr std::uint64_t kProcessesKept = 16;  // by a worker; with more kinds each job starts its own

double most_of(Duration least, Duration most, double times, double more) {
  return std::min(seconds(most), std::max(times * seconds(least), seconds(least) + more));
}

bool is_of_process(const std::string& column) {
  return column == "variant" || column == "threads" || column == "copies" || column == "gpus" ||
         is_environment(column) || column.ends_with(".library");
}

}  // namespace

Estimate estimate(const Rules& rules) {
  const WarmupRules& warmup = rules.measure.warmup;
  const SampleRules& samples = rules.measure.samples;
  Estimate job;
  job.least = seconds(warmup.min_time) + seconds(samples.min_time);
  const bool is_watched = watched(rules.measure);
  job.most = most_of(warmup.min_time, warmup.max_time, kWarmUpTimes, is_watched ? kStable : 0) +
             most_of(samples.min_time, samples.max_time, kSamplingTimes, 0) +
             (is_watched ? kSetUp : kShortSetUp);
  job.most *= 1 + kRepeated;
  return job;
}

std::string text_of_range(double least_s, double most_s) {
  constexpr double kMost = 9e9;  // the largest number of seconds in a Duration
  const std::string least = text_of(from_seconds(std::min(least_s, kMost)));
  const std::string most = text_of(from_seconds(std::min(most_s, kMost)));
  return least == most ? least : least + " to " + most;
}

std::uint64_t rows_of_a_run(const Expansion& expansion) {
  const Sweep& sweep = expansion.sweep();
  const bool asks_for_one = sweep.program.find("{" + sweep.rows_by + "}") != std::string::npos;
  if (sweep.rows_by.empty() || asks_for_one) return 1;
  for (const Axis& axis : expansion.axes())
    for (const auto& field : axis.fields)
      if (field.name == sweep.rows_by) return std::max<std::uint64_t>(axis.size(), 1);
  return 1;
}

double seconds_of_starts(const Expansion& expansion, std::uint64_t jobs) {
  const Sweep& sweep = expansion.sweep();
  std::uint64_t kinds = sweep.processes;
  for (const Axis& axis : expansion.axes()) {
    const bool counts =
        std::ranges::any_of(axis.fields, [](const auto& f) { return is_of_process(f.name); });
    if (counts && kinds <= kProcessesKept) kinds *= std::max<std::uint64_t>(axis.size(), 1);
  }
  const std::uint64_t starts = kinds <= kProcessesKept ? std::min(kinds, jobs) : jobs;
  return kStart * static_cast<double>(starts);
}

}  // namespace kernsweep
