#include "worker/slot/measure/stopping_rule.hpp"

#include <algorithm>
#include <cmath>

#include "worker/slot/measure/median_interval.hpp"

namespace kernsweep {

namespace {
constexpr std::uint64_t kReserved = 128;
}  // namespace

double StoppingRule::noise() const {
  return samples_.empty() ? 0 : median_error(samples_);
}

StoppingRule::Reason StoppingRule::add(double seconds, Duration took) {
  if (samples_.empty()) samples_.reserve(std::min<std::uint64_t>(rules_.max, kReserved));
  samples_.push_back(seconds);
  elapsed_ += took;
  add_spread(seconds);
  if (count() >= rules_.max) return Reason::max_samples;
  if (elapsed_ >= rules_.max_time) return Reason::max_time;
  if (count() < rules_.min || elapsed_ < rules_.min_time) return Reason::none;
  // Noise of 0 counts as low enough: one sample has no noise, and a rule may request only one sample.
  if (stop_.noise > 0 && quiet()) return Reason::noise;
  if (stop_.or_stable && settled()) return Reason::stable;
  return Reason::none;
}

bool StoppingRule::quiet() {
  if (count() < next_look_) return quiet_;
  next_look_ = count() + std::max<std::uint64_t>(1, count() / kSamplesPerLook);
  quiet_ = noise() <= stop_.noise;
  return quiet_;
}

void StoppingRule::add_spread(double seconds) {
  const auto n = static_cast<double>(count());
  const double from_old = seconds - mean_;
  mean_ += from_old / n;
  squares_ += from_old * (seconds - mean_);
  if (count() < 2) return;
  const double spread = mean_ > 0 ? std::sqrt(squares_ / (n - 1)) / mean_ : 0;
  if (spreads_.empty()) spreads_.reserve(std::min<std::uint64_t>(rules_.max, kReserved));
  spreads_.push_back(spread);
  spread_sum_ += spread;
  spread_squares_ += spread * spread;
  if (spreads_.size() <= kSpreadsMax) return;
  const double left = spreads_[spreads_.size() - 1 - kSpreadsMax];
  spread_sum_ -= left;
  spread_squares_ -= left * left;
}

bool StoppingRule::settled() const {
  if (spreads_.size() < kSpreadsMin) return false;
  const auto n = static_cast<double>(std::min(spreads_.size(), kSpreadsMax));
  const double mean = spread_sum_ / n;
  if (mean <= 0) return true;
  const double variance = (spread_squares_ - spread_sum_ * mean) / (n - 1);
  return variance <= 0 || std::sqrt(variance) / mean < kSpreadSettled;
}

std::string_view name_of(StoppingRule::Reason reason) {
  constexpr std::string_view kNames[] = {"none", "noise", "stable", "max_samples", "max_time"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace kernsweep
