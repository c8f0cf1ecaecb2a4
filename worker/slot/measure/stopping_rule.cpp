#include "worker/slot/measure/stopping_rule.hpp"

#include <cmath>

namespace kernsweep {

double StoppingRule::noise() const {
  if (count_ < 2 || mean_ <= 0) return 0;
  return std::sqrt(squares_ / static_cast<double>(count_ - 1)) / mean_;
}

StoppingRule::Reason StoppingRule::add(double seconds, Duration took) {
  ++count_;
  const double from_old = seconds - mean_;
  mean_ += from_old / static_cast<double>(count_);
  squares_ += from_old * (seconds - mean_);
  elapsed_ += took;

  const double noise_now = noise();
  if (count_ >= 2) {
    noises_.push_back(noise_now);
    noise_sum_ += noise_now;
    noise_squares_ += noise_now * noise_now;
    if (noises_.size() > kNoisesMax) {
      noise_sum_ -= noises_.front();
      noise_squares_ -= noises_.front() * noises_.front();
      noises_.pop_front();
    }
  }

  if (count_ >= samples_.max) return Reason::max_samples;
  if (elapsed_ >= samples_.max_time) return Reason::max_time;
  if (count_ < samples_.min || elapsed_ < samples_.min_time) return Reason::none;
  // Noise of 0 counts as low enough: with one sample there is none to judge, and a rule may ask for one
  // sample only.
  if (stop_.noise > 0 && noise_now < stop_.noise) return Reason::noise;
  if (stop_.or_stable && settled()) return Reason::stable;
  return Reason::none;
}

bool StoppingRule::settled() const {
  if (noises_.size() < kNoisesMin) return false;
  const auto n = static_cast<double>(noises_.size());
  const double mean = noise_sum_ / n;
  if (mean <= 0) return true;
  const double variance = (noise_squares_ - noise_sum_ * mean) / (n - 1);
  return variance <= 0 || std::sqrt(variance) / mean < kNoiseSettled;
}

std::string_view name_of(StoppingRule::Reason reason) {
  constexpr std::string_view kNames[] = {"none", "noise", "stable", "max_samples", "max_time"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace kernsweep
