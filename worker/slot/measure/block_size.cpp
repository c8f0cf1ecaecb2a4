#include "worker/slot/measure/block_size.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep {
namespace {

std::uint64_t whole_calls(double calls, std::uint64_t most) {
  if (!(calls > 1)) return 1;
  return static_cast<std::uint64_t>(std::ceil(std::min(calls, static_cast<double>(most))));
}

}  // namespace

std::uint64_t calls_per_sample(double call_s, double timer_s) {
  return call_s > 0 ? whole_calls(timer_s / (kTimerShare * call_s), kCallsMax) : 1;
}

BlockSize::BlockSize(double call_s, const BlockClock& clock, Duration sample_max)
    : wanted_s_(std::min(kMargin * clock.reading_s / clock.share, seconds(sample_max))),
      calls_max_(clock.calls_max) {
  if (call_s > 0) calls_ = whole_calls(wanted_s_ / call_s, calls_max_);
}

bool BlockSize::add(Duration took) {
  if (agreeing_ == kAgreeing || calls_ == calls_max_) return true;
  const double took_s = seconds(took);
  if (took_s >= wanted_s_) {
    ++agreeing_;
    return true;
  }
  // If the clock did not advance or went back, nothing is known about the block's length.
  const double lacking = took_s > 0 ? kHeadroom * wanted_s_ / took_s : kGrowthMax;
  calls_ = whole_calls(static_cast<double>(calls_) * std::min(lacking, kGrowthMax), calls_max_);
  agreeing_ = 0;
  return false;
}

}  // namespace kernsweep
