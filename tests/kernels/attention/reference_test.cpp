// The reference of attention against sums done by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/attention/attention_points.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

std::vector<double> attended(const Settings& set, const std::vector<double>& q,
                             const std::vector<double>& k, const std::vector<double>& v) {
  HostOptions options;
  options.element = [&](const std::string& input, std::int64_t index) {
    return (input == "q" ? q : input == "k" ? k : v).at(static_cast<std::size_t>(index));
  };
  const Measured measured = measure(attention(), "naive", set, options);
  EXPECT_EQ(measured.status, KS_OK) << measured.failed_in << ": " << measured.why;
  EXPECT_EQ(measured.dtype, KS_F64);
  return measured.values;
}

// Scores 0 and 2 / sqrt(4) = 1: weights 1 and e.
TEST(AttentionReference, WeightsAreExponentialsOfScaledScores) {
  const double e = std::exp(1);
  EXPECT_THAT(
      attended(attention_of(1, 1, 2, 4), {1, 1, 0, 0}, {0, 0, 5, 7, 1, 1, 9, 9}, {1, 0, 2, 3, 0, 1, 2, 4}),
      ElementsAre(DoubleNear(1 / (1 + e), 1e-15), DoubleNear(e / (1 + e), 1e-15), DoubleNear(2, 1e-15),
                  DoubleNear((3 + 4 * e) / (1 + e), 1e-15)));
}

// Equal scores: means of what is seen.
TEST(AttentionReference, TheLastOfCausalQueriesSeesAllKeys) {
  const auto means = [](int queries, int keys) {
    return attended(with(attention_of(1, queries, keys, 1), {{"causal", true}}), {0, 0, 0}, {5, 6, 7},
                    {3, 6, 12});
  };
  EXPECT_THAT(means(3, 3), ElementsAre(3, 4.5, 7));
  EXPECT_THAT(means(2, 3), ElementsAre(4.5, 7));
  EXPECT_THAT(means(1, 3), ElementsAre(7));
  EXPECT_THAT(means(3, 2), ElementsAre(0, 3, 4.5));  // the first one sees none
}

TEST(AttentionReference, WithoutKeysAllIsZero) {
  EXPECT_THAT(attended(attention_of(1, 2, 0, 2), {1, 2, 3, 4}, {}, {}), ElementsAre(0, 0, 0, 0));
}

// Heads 0 and 1 share keys 0, heads 2 and 3 keys 1.
TEST(AttentionReference, NeighbouringHeadsShareKeys) {
  const Settings set = with(attention_of(4, 1, 2, 1), {{"kv_heads", 2}});
  EXPECT_THAT(attended(set, {0, 0, 0, 0}, {0, 0, 0, 0}, {1, 3, 10, 30}), ElementsAre(2, 2, 20, 20));
}

// Scores of 1000 would be infinite as exponentials.
TEST(AttentionReference, LargeScoresDoNotOverflow) {
  EXPECT_THAT(attended(attention_of(1, 1, 2, 1), {1000}, {1, 1}, {1, 2}), ElementsAre(1.5));
}

}  // namespace
}  // namespace kernsweep::testing
