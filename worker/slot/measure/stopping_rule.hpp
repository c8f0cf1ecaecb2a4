// Decides when there are enough samples. Pure: reads no clock.
//
// After NVBench's stdrel criterion: sampling may end, once the minimum of samples and of time is reached,
// when the relative standard deviation of the samples ("noise") is below the limit, or when the noise
// itself has settled: the last noises (at least kNoisesMin, at most kNoisesMax of them) have a relative
// standard deviation below kNoiseSettled. Caps on samples and time end it in any case; the cap on time may
// cut the minimum of samples short, but never below one sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>

#include "shared/base/rules.hpp"

namespace kernsweep {

class StoppingRule {
 public:
  static constexpr std::size_t kNoisesMin = 64;
  static constexpr std::size_t kNoisesMax = 512;
  static constexpr double kNoiseSettled = 0.05;

  enum class Reason : std::uint8_t { none, noise, stable, max_samples, max_time };

  StoppingRule(const SampleRules& samples, const StopRules& stop) : samples_(samples), stop_(stop) {}

  // Adds a sample of `seconds` per call that took `took` in total. Returns why to stop, or none.
  Reason add(double seconds, Duration took);

  std::uint64_t count() const { return count_; }
  double noise() const;  // relative standard deviation, n - 1 in the denominator; 0 for one sample

 private:
  bool settled() const;

  SampleRules samples_;
  StopRules stop_;
  std::uint64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;
  Duration elapsed_{};
  std::deque<double> noises_;
  double noise_sum_ = 0;
  double noise_squares_ = 0;
};

std::string_view name_of(StoppingRule::Reason reason);

}  // namespace kernsweep
