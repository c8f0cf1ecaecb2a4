#include "shared/stats/intervals.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

Interval exp_of(double low, double high) {
  return {std::exp(std::max(low, -700.0)), std::exp(std::min(high, 700.0))};
}

namespace {

// Numbers drawn with replacement. std::uniform_int_distribution differs between standard libraries; this
// method does not: the upper half of a product (Lemire 2019, uncorrected: below 2^-32 here).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  void draw(std::span<const double> from, std::vector<double>& into) {
    into.resize(from.size());
    for (double& each : into) each = from[((engine_() >> 32) * from.size()) >> 32];
  }

 private:
  std::mt19937_64 engine_;  // the standard specifies its sequence
};

double median_in_place(std::vector<double>& numbers) {
  const std::size_t half = numbers.size() / 2;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(numbers.begin(), middle, numbers.end());
  if (numbers.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(numbers.begin(), middle)) / 2;
}

Interval inner(std::vector<double>& drawn, double confidence) {
  std::ranges::sort(drawn);
  const double cut = (1 - confidence) / 2;
  return {quantile_of_sorted(drawn, cut), quantile_of_sorted(drawn, 1 - cut)};
}

}  // namespace

Interval bootstrap_ratio(std::span<const double> a, std::span<const double> b, double confidence,
                         std::size_t resamples, std::uint64_t seed) {
  KS_ASSERT(!a.empty() && !b.empty() && resamples > 0);
  Draws draws(seed);
  std::vector<double> of_a, of_b, ratios(resamples);
  for (double& ratio : ratios) {
    draws.draw(a, of_a);
    draws.draw(b, of_b);
    ratio = median_in_place(of_b) / median_in_place(of_a);
    KS_ASSERT(std::isfinite(ratio));
  }
  return inner(ratios, confidence);
}

}  // namespace kernsweep
