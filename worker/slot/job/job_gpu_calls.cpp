// Checks the work that timed calls left to a GPU, and the GPU settings that a job left. Asks the driver, so
// it does not matter who wrote the kernel, or whether it declares a device.
#include <algorithm>
#include <cstdio>

#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/watch/cuda_context.hpp"

namespace kernsweep {
namespace {

constexpr int kCalls = 2;
constexpr Duration kEnough = 100ms;  // of these calls, after which no more are made
// Work that may be left when a call returns, because another thread of the driver may still be finishing.
constexpr double kLeftLeast_s = 50e-6, kLeftShare = 0.1;
// A kernel's own clock excludes the host's time to start the call and to wait for it.
constexpr double kUnseenLeast_s = 500e-6, kUnseenFactor = 2;

// In seconds, each the smallest of all inspected calls, because other load of the host makes them longer.
struct GpuCalls {
  double call = 1e9;   // until the call returned
  double left = 1e9;   // from then on, until the GPU had nothing to do
  double whole = 1e9;  // both
  double said = 1e9;   // by the kernel's own clock
};

std::string worked_on(const GpuCalls& seen) {
  char text[192];
  std::snprintf(
      text, sizeof text,
      "the GPU worked for another %.3g s after a call had returned, which took %.3g s; a call must return "
      "when its work is done: wait for the GPU at its end",
      seen.left, seen.call);
  return text;
}

std::string unseen_by_own_clock(const GpuCalls& seen) {
  char text[128];
  std::snprintf(text, sizeof text,
                "the kernel's own clock said %.3g s for calls that took the host and the GPU %.3g s",
                seen.said, seen.whole);
  return text;
}

}  // namespace

bool JobRunner::check_gpu_calls(Attempt& job) {
  const auto context = CudaContext::of_process();
  if (!context) return true;
  const ks_variant& variant = *job.bound->variant;
  GpuCalls seen;
  const Instant start = monotonic_now();
  for (int call_number = 0; call_number < kCalls && monotonic_now() - start < kEnough; ++call_number) {
    context->wait();
    job.in_place.restore();
    const Instant begun = monotonic_now();
    if (!job.good(variant.run(job.state))) {
      fail_measured(job, job.explained("the variant failed when it was run again"));
      return false;
    }
    const Instant returned = monotonic_now();
    context->wait();
    const Instant done = monotonic_now();
    seen.call = std::min(seen.call, seconds(returned - begun));
    seen.left = std::min(seen.left, seconds(done - returned));
    seen.whole = std::min(seen.whole, seconds(done - begun));
    if (variant.elapsed) seen.said = std::min(seen.said, variant.elapsed(job.state));
  }
  if (!variant.elapsed && seen.left > kLeftLeast_s && seen.left > kLeftShare * seen.call) {
    job.result.clear_samples_s();
    job.result.set_verified(false);
    return job.fail(Outcome::wrong_result, worked_on(seen));
  }
  if (variant.elapsed && seen.whole > kUnseenLeast_s && seen.whole > kUnseenFactor * seen.said)
    job.result.add_grades(unseen_by_own_clock(seen));
  return true;
}

// Calls that leave their work to the GPU accumulate in the timed section, which may then take for ever. Not
// checked without a warm-up, because the first call of the section is then the first one of all.
bool JobRunner::check_gpu_before(Attempt& job) {
  const WarmupRules& warmup = job.rules.measure.warmup;
  const bool is_warmed_up = warmup.min_runs > 0 || warmup.min_time > Duration::zero();
  return isolated_ || job.bound->variant->elapsed || !is_warmed_up || check_gpu_calls(job);
}

// The part of the L2 cache that is reserved for persisting accesses keeps its content when others empty the
// cache, and is not available to the next job of this process.
void JobRunner::reset_gpu(Attempt& job) {
  const auto context = CudaContext::of_process();
  const std::size_t kept = context ? context->persisting_l2_bytes() : 0;
  if (kept == 0) return;
  if (job.body.cache() == static_cast<std::uint32_t>(Cache::cold) && !job.broken)
    job.result.add_grades("the kernel has set aside " + std::to_string(kept) +
                          " bytes of the GPU's L2 cache, so its operands may not have been cold");
  context->reset_persisting_l2();
}

}  // namespace kernsweep
