// Between which bounds a centre lies, without a belief about the shape of the distribution. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernsweep {

struct Interval {
  double low = 0, high = 0;
};

// Of the median of the distribution that the numbers come from.
struct MedianInterval {
  Interval bounds;        // two of the numbers
  double confidence = 0;  // of these bounds; below what was asked for when there are too few numbers
};
// The numbers x(k) and x(n + 1 - k), in ascending order, with the largest k for which the number of those
// below the median, binomial with share 1/2, lies between with the wanted probability (Thompson 1936). Too
// few numbers for it: the smallest and the largest, with 1 - 2^(1 - n). Requires at least one number, all
// finite, and 0 < confidence < 1.
MedianInterval median_interval(std::span<const double> numbers, double confidence);

// Of median(b) / median(a): both sides are drawn anew with replacement, `resamples` times, and the outer
// (1 - confidence) / 2 of the ratios are cut off on either side (percentile bootstrap, Efron 1979). The
// same numbers in the same order and the same seed give the same interval. Requires both sides not empty,
// all numbers finite and > 0. Below about five numbers a side it is too narrow.
Interval bootstrap_ratio(std::span<const double> a, std::span<const double> b, double confidence,
                         std::size_t resamples, std::uint64_t seed);

// Of the mean, in the same way. Requires at least one number.
Interval bootstrap_mean(std::span<const double> numbers, double confidence, std::size_t resamples,
                        std::uint64_t seed);

}  // namespace kernsweep
