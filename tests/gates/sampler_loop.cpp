// The sampler around a kernel that does nothing but take a microsecond of a clock of our own.
#include <time.h>

#include "tests/gates/hot_loops.hpp"
#include "worker/slot/measure/sampler.hpp"

namespace {

constexpr std::int64_t kReading_ns = 100, kCall_ns = 1000;
std::int64_t now_ns = 1'000'000'000;

}  // namespace

// In place of the one of libc, for all clocks of this program: time passes by readings and calls alone.
extern "C" [[gnu::visibility("default")]] int clock_gettime(clockid_t, timespec* time) {
  now_ns += kReading_ns;
  time->tv_sec = now_ns / 1'000'000'000;
  time->tv_nsec = now_ns % 1'000'000'000;
  return 0;
}

namespace kernsweep::gates {
namespace {

constexpr std::uint64_t kSamples = 50;

std::uint64_t sections(std::uint64_t count, Metric metric) {
  MeasureRules rules;
  rules.metric = metric;
  rules.warmup = {2, 0s, 10s};
  rules.samples = {kSamples, kSamples, 0s, 60s};
  ks_variant variant{};
  variant.run = [](void*) {
    now_ns += kCall_ns;
    return KS_OK;
  };
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Samples samples = sample(variant, nullptr, rules, {});
    sum += samples.seconds.size() * samples.calls;
  }
  return sum;
}

}  // namespace

std::uint64_t sampler_blocks(std::uint64_t count) {
  return sections(count, Metric::throughput);
}
std::uint64_t sampler_calls(std::uint64_t count) {
  return sections(count, Metric::latency);
}

}  // namespace kernsweep::gates
