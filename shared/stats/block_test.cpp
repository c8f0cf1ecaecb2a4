#include "shared/stats/block_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shared/base/result.hpp"

namespace kernsweep {

namespace {

// Twice the rank of each number by its size, so that mean ranks of ties are whole; sorted by size.
struct SignedRanks {
  std::vector<std::size_t> twice;  // twice[i]: of the number that is i-th by size
  double positive = 0;             // sum of doubled ranks of positive numbers, half of those of zeros
  double all = 0;
};

SignedRanks signed_ranks(std::span<const double> numbers) {
  std::vector<double> by_size(numbers.begin(), numbers.end());
  std::ranges::sort(by_size, {}, [](double number) { return std::abs(number); });
  SignedRanks ranks;
  for (std::size_t i = 0; i < by_size.size();) {
    std::size_t end = i;
    while (end < by_size.size() && std::abs(by_size[end]) == std::abs(by_size[i])) ++end;
    const std::size_t twice = i + 1 + end;  // i + 1 to end, both included
    for (; i < end; ++i) {
      ranks.twice.push_back(twice);
      const auto rank = static_cast<double>(twice);
      ranks.all += rank;
      ranks.positive += by_size[i] > 0 ? rank : by_size[i] < 0 ? 0 : rank / 2;
    }
  }
  return ranks;
}

// The probability that the sum of randomly chosen ranks is at most `most`.
double share_up_to(std::span<const std::size_t> ranks, double most) {
  const auto limit = static_cast<std::size_t>(std::max(most, 0.0));
  std::vector<double> ways(limit + 1, 0.0);
  ways[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = limit + 1; sum-- > rank;) ways[sum] += ways[sum - rank];
    for (double& each : ways) each /= 2;
  }
  double share = 0;
  for (const double each : ways) share += each;
  return share;
}

// The largest sum of ranks 1 to n, not doubled, that the test rejects on one side; false: it rejects
// nothing.
bool rejected_sum(std::size_t n, double outside, std::size_t& sum) {
  std::vector<double> ways(n * (n + 1) / 2 + 1, 0.0);
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t at = ways.size(); at-- > rank;) ways[at] += ways[at - rank];
    for (double& each : ways) each /= 2;
  }
  double share = 0;
  bool any = false;
  for (std::size_t at = 0; at < ways.size(); ++at) {
    share += ways[at];
    if (2 * share > outside) break;
    sum = at;
    any = true;
  }
  return any;
}

}  // namespace

double signed_rank_p(std::span<const double> numbers) {
  for (const double number : numbers) KS_ASSERT(std::isfinite(number));
  if (numbers.empty()) return 1;
  const SignedRanks ranks = signed_ranks(numbers);
  const double smaller = std::min(ranks.positive, ranks.all - ranks.positive);
  if (numbers.size() <= kExactSignedRanksMax) return std::min(1.0, 2 * share_up_to(ranks.twice, smaller));
  double squares = 0;
  for (const std::size_t twice : ranks.twice) squares += std::pow(static_cast<double>(twice), 2);
  const double away = ranks.all / 2 - smaller - 1;
  return away <= 0 ? 1 : std::min(1.0, std::erfc(away / std::sqrt(squares / 2)));
}

Interval signed_rank_interval(std::span<const double> numbers, double outside) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // With more numbers only a part of them is used: the interval is wider, and correct.
  numbers = numbers.first(std::min(numbers.size(), kExactSignedRanksMax));
  std::size_t sum = 0;
  if (!rejected_sum(numbers.size(), outside, sum)) return {-kInfinity, kInfinity};
  std::vector<double> means;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    for (std::size_t j = i; j < numbers.size(); ++j) means.push_back((numbers[i] + numbers[j]) / 2);
  std::ranges::sort(means);
  return {means[sum], means[means.size() - 1 - sum]};
}

double sign_test_p(std::size_t fewer, std::size_t count) {
  // Uses logarithms, because 0.5^1075 is not a double.
  const auto n = static_cast<double>(count);
  double sum = 0;
  for (std::size_t k = 0; k <= fewer; ++k) {
    const auto i = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.0));
  }
  return std::min(1.0, 2 * sum);
}

std::vector<BlockDifference> differences_of(std::vector<BlockTime> first, std::vector<BlockTime> second) {
  std::ranges::sort(first, {}, &BlockTime::block);
  std::ranges::sort(second, {}, &BlockTime::block);
  std::vector<BlockDifference> found;
  for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
    const BlockTime &a = first[i], &b = second[j];
    if (a.block == b.block) found.push_back({b.low - a.log, b.log - a.low});
    i += a.block <= b.block ? 1 : 0;
    j += b.block <= a.block ? 1 : 0;
  }
  return found;
}

}  // namespace kernsweep
