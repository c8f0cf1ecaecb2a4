#include "shared/stats/process_spread.hpp"

#include <algorithm>
#include <cmath>

#include "shared/base/result.hpp"
#include "shared/stats/split.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

namespace {

constexpr double kGapQuantile = 0.99;
constexpr std::size_t kPairsOfPointMax = 10;  // processes of a point whose pairs are counted
// With fewer points too little is known about how much variances differ, so nothing is borrowed.
constexpr std::size_t kPointsLeast = 6;
constexpr std::size_t kBinPoints = 48, kBinsMax = 64, kFittedMax = 256;
constexpr std::size_t kPairsMax = 200'000;
// The least relative error of a process: two equal times are chance, or a coarse clock.
constexpr double kVarianceLeast = 1e-8;

struct Sample {
  double variance = 0, degrees = 0;
};

// Logarithm of the density of s^2 / s0^2 for the F distribution with d1 and d2 degrees of freedom, without
// the terms that depend on s^2 alone, which are not compared.
class Likelihood {
 public:
  explicit Likelihood(std::span<const Sample> samples) : samples_(samples) {}

  double of(double variance, double degrees) const {
    const double log_variance = std::log(variance);
    double sum = 0, d1 = 0, constant = 0;
    for (const Sample& each : samples_) {
      if (each.degrees != d1) {
        d1 = each.degrees;
        constant = std::lgamma((d1 + degrees) / 2) - std::lgamma(degrees / 2) - d1 / 2 * std::log(degrees);
      }
      const double ratio = each.variance / variance;
      sum += constant - d1 / 2 * log_variance - (d1 + degrees) / 2 * std::log1p(d1 / degrees * ratio);
    }
    return sum;
  }

  // The s0^2 of largest likelihood for this many degrees, by golden section over its logarithm.
  double best_variance(double degrees, double low, double high) const {
    constexpr double kGolden = 0.6180339887498949;
    const auto at = [&](double x) { return of(std::exp(x), degrees); };
    double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    double of_a = at(a), of_b = at(b);
    while (high - low > 0.05) {
      if (of_a < of_b) {
        low = a;
        a = b, of_a = of_b;
        of_b = at(b = low + kGolden * (high - low));
      } else {
        high = b;
        b = a, of_b = of_a;
        of_a = at(a = high - kGolden * (high - low));
      }
    }
    return std::exp((low + high) / 2);
  }

 private:
  std::span<const Sample> samples_;
};

ExpectedVariance fitted(std::span<const Sample> samples) {
  ExpectedVariance best;
  if (samples.size() < kPointsLeast) return best;
  // The result lies near the middle of the variances: for one degree of freedom their median is 0.45 of it.
  std::vector<double> variances;
  for (const Sample& each : samples) variances.push_back(each.variance);
  const auto middle = variances.begin() + static_cast<std::ptrdiff_t>(variances.size() / 2);
  std::ranges::nth_element(variances, middle);
  const double centre = std::log(*middle);
  const Likelihood likelihood(samples);
  double most = -HUGE_VAL;
  for (const double degrees : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0}) {
    const double variance = likelihood.best_variance(degrees, centre - 3, centre + 3);
    const double each = likelihood.of(variance, degrees);
    if (each <= most) continue;
    most = each;
    best = {variance, degrees};
  }
  return best;
}

// The probability that all processes of a point with two groups lie in one of them, where one process in
// three belongs to the smaller one.
double all_in_one_group(std::size_t processes) {
  const auto n = static_cast<double>(processes);
  return std::pow(2 / 3.0, n) + std::pow(1 / 3.0, n);
}

// At most as many samples as an estimate of one number needs.
std::vector<Sample> thinned(std::span<const Sample> samples) {
  std::vector<Sample> kept;
  const std::size_t step = 1 + samples.size() / kFittedMax;
  for (std::size_t i = 0; i < samples.size(); i += step) kept.push_back(samples[i]);
  return kept;
}

}  // namespace

void ProcessSpread::Pairs::add(std::span<const double> logs) {
  const std::size_t used = std::min(logs.size(), kPairsOfPointMax);
  if (used < 2 || seen++ % step != 0) return;
  if (pairs.size() > kPairsMax) {
    // Every third: settings often have two values, which alternate.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < pairs.size(); i += 3) pairs[kept++] = pairs[i];
    pairs.resize(kept);
    step *= 3;
  }
  const double weight = 2 / static_cast<double>(used);  // n (n - 1) / 2 pairs count as n - 1
  for (std::size_t i = 0; i < used; ++i)
    for (std::size_t j = 0; j < i; ++j) pairs.push_back({std::abs(logs[i] - logs[j]), weight});
}

double ProcessSpread::Pairs::quantile() {
  std::ranges::sort(pairs, {}, &Pair::gap);
  double all = 0, below = 0, found = 0;
  for (const Pair& pair : pairs) all += pair.weight;
  for (const Pair& pair : pairs) {
    found = pair.gap;
    below += pair.weight;
    if (all >= 100 && below >= kGapQuantile * all) break;
  }
  return found;
}

void ProcessSpread::count_groups(std::span<const double> logs) {
  if (split_of(logs)) split_points_ += 1;
  telling_points_ += 1 - all_in_one_group(logs.size());
}

void ProcessSpread::add(std::span<const double> logs, std::uint32_t stratum) {
  if (logs.size() < 2) return;
  own_.add(logs);
  count_groups(logs);
  if (with_processes_.size() <= logs.size()) with_processes_.resize(logs.size() + 1, 0);
  ++with_processes_[logs.size()];
  const Summary summary = summarise(logs);
  points_.push_back({summary.mean, std::max(kVarianceLeast, summary.stdev * summary.stdev),
                     static_cast<std::uint32_t>(logs.size()), stratum});
}

void ProcessSpread::add_earlier(std::span<const double> logs) {
  if (logs.size() < 2) return;
  earlier_.add(logs);
  count_groups(logs);
}

void ProcessSpread::fit() {
  for (std::size_t n = 1; n < kRisks; ++n) risks_[n] = risk_of(n);
  gap_ = std::max(own_.quantile(), earlier_.quantile());
  std::ranges::sort(points_, [](const Point& a, const Point& b) {
    return a.stratum != b.stratum ? a.stratum < b.stratum : a.log_time < b.log_time;
  });
  std::vector<Sample> samples;
  for (const Point& point : points_) samples.push_back({point.variance, point.processes - 1.0});
  overall_ = fitted(thinned(samples));
  for (std::size_t from = 0; from < points_.size();) {
    std::size_t end = from;
    while (end < points_.size() && points_[end].stratum == points_[from].stratum) ++end;
    const std::size_t bins = std::clamp<std::size_t>((end - from) / kBinPoints, 1, kBinsMax);
    for (std::size_t b = 0; b < bins; ++b) {
      const std::size_t first = from + (end - from) * b / bins, last = from + (end - from) * (b + 1) / bins;
      ExpectedVariance own = fitted(thinned(std::span(samples).subspan(first, last - first)));
      if (own.degrees == 0) own = overall_;
      bins_.push_back({points_[from].stratum, b + 1 == bins ? HUGE_VAL : points_[last - 1].log_time, own});
    }
    from = end;
  }
}

ExpectedVariance ProcessSpread::expected(std::uint32_t stratum, double log_time) const {
  const auto before = [&](const Bin& bin) {
    return bin.stratum != stratum ? bin.stratum < stratum : bin.log_time_max < log_time;
  };
  const auto at = std::partition_point(bins_.begin(), bins_.end(), before);
  return at == bins_.end() || at->stratum != stratum ? overall_ : at->expected;
}

double ProcessSpread::hidden_groups_risk(std::size_t n) const {
  KS_ASSERT(n > 0);
  return n < kRisks ? risks_[n] : risk_of(n);
}

double ProcessSpread::unseen_groups_risk(std::size_t first, std::size_t second) const {
  KS_ASSERT(first > 1 && second > 1);
  const double unseen = all_in_one_group(first) + all_in_one_group(second);
  // The two points themselves are not among the others.
  const double telling = std::max(0.0, telling_points_ - (2 - unseen));
  return std::min(1.0, (split_points_ + 0.5) / (telling + 1) * unseen);
}

double ProcessSpread::risk_of(std::size_t n) const {
  std::uint64_t all = 0;
  for (const std::uint64_t points : with_processes_) all += points;
  double most = all <= 2 ? std::ldexp(2.0, -static_cast<int>(std::min<std::size_t>(n, 1000))) : 0;
  for (int i = 1; i <= 50; ++i) {
    const double p = i / 100.0, q = 1 - p;
    double log_risk = std::log(2.0) + static_cast<double>(n) * std::log(p * q);
    std::uint64_t left_out = 2;
    for (std::size_t k = 2; k < with_processes_.size(); ++k) {
      std::uint64_t points = with_processes_[k];
      if (k >= n) {  // both points have n processes or more
        const std::uint64_t taken = std::min(points, left_out);
        points -= taken;
        left_out -= taken;
      }
      if (points == 0) continue;
      const auto count = static_cast<double>(k);
      log_risk += static_cast<double>(points) * std::log(std::pow(p, count) + std::pow(q, count));
    }
    most = std::max(most, std::exp(log_risk));
  }
  return most;
}

}  // namespace kernsweep
