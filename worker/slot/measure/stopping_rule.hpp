// Decides when there are enough samples. Pure: reads no clock.
//
// Sampling may end, after the minimum of samples and of time is reached, when the error of the samples'
// median ("noise", median_interval.hpp) is at most the limit, or when their spread is stable: the last
// relative standard deviations (at least kSpreadsMin, at most kSpreadsMax of them) themselves have a
// relative standard deviation below kSpreadSettled, after NVBench's stdrel criterion. Maxima of samples and
// time end it in any case; the maximum of time may override the minimum of samples, but one sample is
// always taken.
//
// The error of the median is computed when there are a twentieth more samples than at the last time, so a
// sample costs O(1) on average.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "shared/base/rules.hpp"

namespace kernsweep {

class StoppingRule {
 public:
  static constexpr std::size_t kSpreadsMin = 64;
  static constexpr std::size_t kSpreadsMax = 512;
  static constexpr double kSpreadSettled = 0.05;
  static constexpr std::uint64_t kSamplesPerLook = 20;

  enum class Reason : std::uint8_t { none, noise, stable, max_samples, max_time };

  StoppingRule(const SampleRules& samples, const StopRules& stop) : rules_(samples), stop_(stop) {}

  // Adds a sample of `seconds` per call that took `took` in total. Returns why to stop, or none.
  Reason add(double seconds, Duration took);

  std::uint64_t count() const { return samples_.size(); }
  double noise() const;  // the error of the median of all samples; 0 for none

 private:
  void add_spread(double seconds);
  bool settled() const;
  bool quiet();

  SampleRules rules_;
  StopRules stop_;
  std::vector<double> samples_;
  Duration elapsed_{};
  std::uint64_t next_look_ = 0;
  bool quiet_ = false;  // at the last computation
  double mean_ = 0;
  double squares_ = 0;
  std::vector<double> spreads_;  // from the second sample on
  double spread_sum_ = 0;        // of the last kSpreadsMax
  double spread_squares_ = 0;
};

std::string_view name_of(StoppingRule::Reason reason);

}  // namespace kernsweep
