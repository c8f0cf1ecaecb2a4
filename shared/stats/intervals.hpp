// Confidence intervals of a centre, without an assumption about the distribution. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernsweep {

struct Interval {
  double low = 0, high = 0;
};

// exp of bounds of a logarithm; held within e^-700 and e^700, so that a bound that is far away stays a
// number.
Interval exp_of(double low, double high);

// Of median(b) / median(a): both sides are resampled with replacement, `resamples` times, and the outer (1
// - confidence) / 2 of the ratios are cut off on either side (percentile bootstrap, Efron 1979). The same
// numbers in the same order and the same seed give the same interval. Requires both sides not empty, all
// numbers finite and > 0. With fewer than about five numbers on a side the interval is too narrow.
Interval bootstrap_ratio(std::span<const double> a, std::span<const double> b, double confidence,
                         std::size_t resamples, std::uint64_t seed);

}  // namespace kernsweep
