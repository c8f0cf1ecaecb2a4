// Between which bounds a centre lies, without a belief about the shape of the distribution. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernsweep {

struct Interval {
  double low = 0, high = 0;
};

// Of median(b) / median(a): both sides are drawn anew with replacement, `resamples` times, and the outer
// (1 - confidence) / 2 of the ratios are cut off on either side (percentile bootstrap, Efron 1979). The
// same numbers in the same order and the same seed give the same interval. Requires both sides not empty,
// all numbers finite and > 0. Below about five numbers a side it is too narrow.
Interval bootstrap_ratio(std::span<const double> a, std::span<const double> b, double confidence,
                         std::size_t resamples, std::uint64_t seed);

}  // namespace kernsweep
