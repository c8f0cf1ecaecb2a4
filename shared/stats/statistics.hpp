// Order statistics and spread of samples. Pure: numbers in, numbers out; empty input is the caller's bug.
#pragma once

#include <span>

namespace kernsweep {

// The reported statistics of the samples of one result. All in the samples' unit.
struct Summary {
  double min = 0, q1 = 0, median = 0, q3 = 0, max = 0;
  double mean = 0;
  double stdev = 0;  // n - 1 in the denominator; 0 for one sample
  double mad = 0;    // median absolute deviation from the median, not scaled
};

// Quantile by linear interpolation between order statistics (Hyndman and Fan 1996, type 7; NumPy's
// default). `sorted` ascends; 0 <= q <= 1.
double quantile_of_sorted(std::span<const double> sorted, double q);

// The upper quantiles of samples, by the same interpolation.
struct Tail {
  double p90 = 0, p99 = 0, p999 = 0;
};
// Copies and sorts the samples.
Tail tail_of(std::span<const double> samples);

// The mean without the lowest and the highest fifth of the numbers (below five: of all), and the variance
// of that mean from the winsorised numbers (Yuen 1974); degrees is the number of kept numbers minus one.
struct TrimmedMean {
  double mean = 0;
  double variance = 0;  // 0 for one number
  double degrees = 0;
};
// The variance follows from the larger of `least_variance` and the variance of the winsorised numbers.
TrimmedMean trimmed_mean_of(std::span<const double> samples, double least_variance = 0);

// Mean and deviation by Welford's method, so that 1e9 +- 1 keeps its digits. Copies and sorts the samples.
Summary summarise(std::span<const double> samples);

}  // namespace kernsweep
