#include "worker/slot/verify/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "tests/golden_text/golden_text.hpp"
#include "worker/slot/verify/output.hpp"

namespace kernsweep {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Compare, AllowsAbsoluteAndRelativeToTheLargestReference) {
  // Scale 10, allowed 0.5 + 0.01 * 10 = 0.6.
  const std::vector<double> reference = {1, -10};
  const ks_tolerance tolerance{0.01, 0.5};
  const Comparison within = compare({1.5, -10}, reference, tolerance);
  EXPECT_TRUE(within.within);
  EXPECT_EQ(within.scale, 10);
  EXPECT_DOUBLE_EQ(within.error, 0.05) << "0.5 of 10";
  const Comparison beyond = compare({1.75, -10}, reference, tolerance);
  EXPECT_FALSE(beyond.within);
  EXPECT_EQ(beyond.worst, 0u);
}

// Two rows of two: 1e-3 of 100 would allow 0.1 in the second one, which has a scale of 0.01 of its own.
TEST(Compare, ASliceHasItsOwnScale) {
  const std::vector<double> right = {100, 50, 0.01, 0.005}, zeroed = {100, 50, 0, 0};
  EXPECT_TRUE(compare(zeroed, right, {1e-3, 0}).within);
  const Comparison comparison = compare(zeroed, right, {1e-3, 0}, 2);
  EXPECT_FALSE(comparison.within);
  EXPECT_EQ(comparison.worst, 2U);
  EXPECT_DOUBLE_EQ(comparison.scale, 0.01);
  EXPECT_DOUBLE_EQ(comparison.error, 1);
  EXPECT_TRUE(compare({100.1, 50, 0.01, 0.005009}, right, {1e-3, 0}, 2).within);
}

TEST(Compare, ASliceOfZerosAllowsTheAbsolutePartOnly) {
  EXPECT_TRUE(compare({4, 4, 0, 0}, {4, 4, 0, 0}, {1e-3, 0}, 2).within);
  EXPECT_FALSE(compare({4, 4, 0, 1e-9}, {4, 4, 0, 0}, {1e-3, 0}, 2).within);
  const Comparison comparison = compare({4, 4, 0, 1e-9}, {4, 4, 0, 0}, {1e-3, 1e-8}, 2);
  EXPECT_TRUE(comparison.within);
  EXPECT_DOUBLE_EQ(comparison.error, 1e-9 / 4) << "of the whole output's scale";
}

TEST(Compare, TheScaleIsTakenAlongTheLastDimensions) {
  constexpr std::array<std::int64_t, 3> cube = {2, 3, 5};
  EXPECT_EQ(elements_of_scale(cube, 0), 30U);
  EXPECT_EQ(elements_of_scale(cube, 1), 5U);
  EXPECT_EQ(elements_of_scale(cube, 2), 15U);
  EXPECT_EQ(elements_of_scale(cube, 3), 30U);
  EXPECT_EQ(elements_of_scale(cube, 9), 30U) << "more dimensions than there are";
  EXPECT_EQ(elements_of_scale(cube, -1), 30U);
}

TEST(Compare, NoToleranceAsksForEquality) {
  EXPECT_TRUE(compare({1, 2}, {1, 2}, {0, 0}).within);
  EXPECT_FALSE(compare({1, std::nextafter(2.0, 3.0)}, {1, 2}, {0, 0}).within);
  EXPECT_TRUE(compare({-0.0}, {0.0}, {0, 0}).within) << "zeros are equal whatever their sign";
}

TEST(Compare, AnAllZeroReferenceHasScaleOneForTheError) {
  const Comparison comparison = compare({0, 0.25}, {0, 0}, {0.5, 0});
  EXPECT_EQ(comparison.scale, 0);
  EXPECT_DOUBLE_EQ(comparison.error, 0.25);
  EXPECT_FALSE(comparison.within) << "a half of nothing allows nothing";
}

TEST(Compare, NothingIsWithin) {
  EXPECT_TRUE(compare({}, {}, {0, 0}).within);
  EXPECT_EQ(compare({}, {}, {0, 0}).zero_share, 0);
}

TEST(Compare, NanAndInfinityAreWrongWhereTheReferenceHasNone) {
  for (const double bad : {kNan, kInf, -kInf}) {
    const Comparison comparison = compare({1, bad, bad}, {1, 2, 3}, {1e9, 1e9});
    EXPECT_FALSE(comparison.within) << bad;
    EXPECT_EQ(comparison.not_finite, 2u);
    EXPECT_EQ(comparison.worst, 1u);
  }
}

TEST(Compare, NanAndInfinityAreRightWhereTheReferenceHasTheSame) {
  EXPECT_TRUE(compare({kNan, kInf, -kInf, 1}, {kNan, kInf, -kInf, 1}, {0, 0}).within);
  EXPECT_FALSE(compare({kInf}, {-kInf}, {1, 1}).within);
  EXPECT_FALSE(compare({kNan}, {kInf}, {1, 1}).within);
  EXPECT_FALSE(compare({1, 5}, {1, kInf}, {1, 1}).within) << "an infinite reference allows no number";
}

TEST(Compare, AnInfiniteReferenceDoesNotWidenTheTolerance) {
  const Comparison comparison = compare({kInf, 1.5}, {kInf, 1}, {0.1, 0});
  EXPECT_EQ(comparison.scale, 1);
  EXPECT_FALSE(comparison.within);
}

TEST(Compare, AToleranceThatIsNoNumberAllowsNothing) {
  EXPECT_FALSE(compare({5}, {1}, {kNan, 0}).within);
  EXPECT_FALSE(compare({5}, {1}, {0, kNan}).within);
}

TEST(Compare, FindsTheWorstElementAndTheShareOfZeros) {
  const Comparison comparison = compare({0, 2.5, -0.0, 7}, {0, 2, 0, 4}, {0, 0});
  EXPECT_EQ(comparison.worst, 3u);
  EXPECT_DOUBLE_EQ(comparison.error, 0.75);
  EXPECT_DOUBLE_EQ(comparison.zero_share, 0.5);
}

// Differences 3 and 4, reference 0 and 10: sqrt(9 + 16) / 10.
TEST(Compare, TellsTheEuclideanErrorOverAllElements) {
  EXPECT_DOUBLE_EQ(compare({3, 14}, {0, 10}, {0, 0}).error_norm, 0.5);
  EXPECT_EQ(compare({1, 2}, {1, 2}, {0, 0}).error_norm, 0);
  EXPECT_DOUBLE_EQ(compare({3, 4}, {0, 0}, {0, 0}).error_norm, 5)
      << "of a reference of zeros: not relative";
  EXPECT_DOUBLE_EQ(compare({3e200, 14e200}, {0, 10e200}, {0, 0}).error_norm, 0.5) << "squares overflow";
  EXPECT_DOUBLE_EQ(compare({3e-200, 14e-200}, {0, 10e-200}, {0, 0}).error_norm, 0.5) << "or vanish";
}

TEST(Compare, TheEuclideanErrorLeavesOutWhatIsNotFinite) {
  EXPECT_DOUBLE_EQ(compare({kNan, 3, kInf}, {1, 2, kInf}, {0, 0}).error_norm, 1 / std::sqrt(5.0));
}

// 0.5 / 2 is more than 1 / 10, though the difference is less.
TEST(Compare, TellsTheLargestErrorOfAnElement) {
  const auto error = [](const std::vector<double>& x, const std::vector<double>& r) {
    return compare(x, r, {9, 9}).error_element;
  };
  EXPECT_EQ(error({2.5, 11, 0}, {2, 10, 0}), 0.25);
  EXPECT_EQ(error({-2, 4}, {-4, 4}), 0.5);
  EXPECT_EQ(error({0, kNan, kInf}, {-0.0, kNan, kInf}), 0) << "equal";
  EXPECT_EQ(error({1e-300, 0}, {1e-300, 5}), 1);
}

TEST(Compare, WithoutAnErrorOfEachElementThereIsNoLargestOne) {
  const auto error = [](const std::vector<double>& x, const std::vector<double>& r) {
    return compare(x, r, {9, 9}).error_element;
  };
  EXPECT_EQ(error({1e-9, 3}, {0, 2}), std::nullopt) << "of a reference of zero";
  EXPECT_EQ(error({kNan, 3}, {1, 2}), std::nullopt);
  EXPECT_EQ(error({1, 3}, {kInf, 2}), std::nullopt);
  EXPECT_EQ(error({1e300}, {1e-300}), std::nullopt) << "1e600 is no double";
  EXPECT_EQ(error({}, {}), std::nullopt);
}

Elements floats(std::vector<float>& values, std::int64_t count, std::int64_t stride) {
  ks_tensor out{};
  out.data = values.data();
  out.dtype = KS_F32;
  out.rank = 1;
  out.shape[0] = count;
  out.strides[0] = stride;
  return Elements(out);
}

TEST(AllZeros, AreThoseOfTheTensorAndNotOfItsGaps) {
  std::vector<float> values = {0, 7, -0.0F, 7};
  EXPECT_EQ(empty_of(floats(values, 2, 2)), "the output is all zeros");
  EXPECT_EQ(empty_of(floats(values, 4, 1)), "");
  EXPECT_EQ(empty_of(floats(values, 0, 1)), "") << "there is none";
  values = {NAN, 7, -HUGE_VALF, 7};
  EXPECT_EQ(empty_of(floats(values, 2, 2)), "the output is all NaN or infinite");
  EXPECT_EQ(empty_of(floats(values, 4, 1)), "");
}

TEST(Compare, CountsNanAndInfinityOfTheOutput) {
  const Comparison comparison = compare({kNan, kInf, -kInf, 1}, {kNan, 1, -kInf, kNan}, {0, 0});
  EXPECT_EQ(comparison.nan_count, 1u);
  EXPECT_EQ(comparison.inf_count, 2u);
  EXPECT_EQ(about_not_finite(comparison, 4),
            "3 of 4 elements of the output are NaN or infinite, as in what it is compared with");
  EXPECT_EQ(about_not_finite(comparison, 3), "") << "a doubt, see empty_of()";
  EXPECT_EQ(about_not_finite(compare({1, 2}, {1, 2}, {0, 0}), 2), "");
}

TEST(DescribeComparison, SaysWhereAndHowFar) {
  const std::vector<double> x = {1, 3};
  const std::vector<double> r = {1, 2};
  const ks_tolerance tolerance{1e-5, 0};
  const std::string text = describe(compare(x, r, tolerance), x, r);
  EXPECT_THAT(text, IsGolden());
}

// 2664667001 and 2664667000 have the same nine first digits.
TEST(DescribeComparison, ShowsSoManyDigitsThatTheTwoDiffer) {
  const std::vector<double> x = {2664667001}, r = {2664667000};
  const ks_tolerance tolerance{0, 0.5, 0};
  EXPECT_THAT(describe(compare(x, r, tolerance), x, r), IsGolden());
}

TEST(DescribeComparison, CountsNanAndInfinity) {
  const std::vector<double> x = {1, 2, kNan, kInf};
  const std::vector<double> r = {1, 2, 3, 4};
  const std::string text = describe(compare(x, r, {1, 1}), x, r);
  EXPECT_THAT(text, IsGolden());
}

// By the definitions alone, in as many passes as they need.
Comparison plainly(const std::vector<double>& x, const std::vector<double>& r,
                   const ks_tolerance& tolerance, std::size_t slice) {
  Comparison out;
  out.within = true;
  const auto largest = [&](std::size_t first, std::size_t count) {
    double most = 0;
    for (std::size_t i = first; i < std::min(r.size(), first + count); ++i)
      if (std::isfinite(r[i])) most = std::max(most, std::abs(r[i]));
    return most;
  };
  out.largest = largest(0, r.size());
  double worst = -1, of_worst = 0, of_elements = 0, norm = 0, of_right = 0, zeros = 0, scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % slice == 0) scale = largest(i, slice);
    zeros += x[i] == 0;
    out.nan_count += std::isnan(x[i]);
    out.inf_count += std::isinf(x[i]);
    if (std::isfinite(r[i])) of_right += (r[i] / out.largest) * (r[i] / out.largest);
    if (x[i] == r[i] || (std::isnan(x[i]) && std::isnan(r[i]))) continue;
    if (!std::isfinite(x[i]) || !std::isfinite(r[i])) {
      if (out.not_finite++ == 0) out.worst = i;
      out.within = false;
      of_elements = kInf;
      continue;
    }
    const double apart = std::abs(x[i] - r[i]), allowed = tolerance.absolute + tolerance.relative * scale;
    out.within = out.within && apart <= allowed;
    out.error = std::max(out.error, apart / (scale > 0 ? scale : out.largest));
    of_elements = std::max(of_elements, apart / std::abs(r[i]));
    norm += (apart / out.largest) * (apart / out.largest);
    const double excess = allowed > 0 ? apart / allowed : kInf;
    if (excess < worst || (excess == worst && apart <= of_worst)) continue;
    worst = excess;
    of_worst = apart;
    if (out.not_finite > 0) continue;
    out.worst = i;
    out.scale = scale;
  }
  if (std::isfinite(of_elements)) out.error_element = of_elements;
  out.error_norm = std::sqrt(norm / of_right);
  out.zero_share = zeros / static_cast<double>(x.size());
  return out;
}

// Lengths around those of the pieces that are read, slices that end within them, values of every size,
// equal errors at several places, and now and then a NaN or an infinity.
TEST(Compare, InOnePassFindsWhatTheDefinitionsSay) {
  std::mt19937_64 random(7);  // NOLINT: the same numbers each time
  const auto below = [&](std::uint64_t most) { return random() % most; };
  for (int round = 0; round < 300; ++round) {
    const std::size_t sizes[] = {1, 7, 8, 9, 1023, 1024, 1025, 2048, 3000, 1 + below(5000)};
    const std::size_t size = sizes[below(10)];
    const std::size_t slice = below(3) == 0 ? size : 1 + below(size);
    const int exponent = static_cast<int>(below(3) == 0 ? below(1200) : below(20)) - 10;
    std::vector<double> r(size), x;
    for (double& value : r)
      value = below(9) == 0 ? 0 : std::ldexp(static_cast<double>(below(1000)) - 500, exponent % 400 - 30);
    x = r;
    for (std::uint64_t errors = below(4) * below(size); errors > 0; --errors) {
      const std::size_t at = below(size);
      x[at] += std::ldexp(static_cast<double>(below(8)), exponent % 400 - 40);
    }
    if (below(3) == 0)
      for (double* value : {&x[below(size)], &r[below(size)], &x[below(size)]})
        *value = below(2) == 0 ? kNan : below(2) == 0 ? kInf : -kInf;
    r[below(size)] = std::ldexp(1, exponent % 400 - 25);  // a scale that is not 0
    const ks_tolerance tolerance{below(2) == 0 ? 1e-4 : 0, below(2) == 0 ? 1e-9 : 0};
    const Comparison seen = compare(x, r, tolerance, slice), right = plainly(x, r, tolerance, slice);
    SCOPED_TRACE("round " + std::to_string(round));
    EXPECT_EQ(seen.within, right.within);
    EXPECT_EQ(seen.worst, right.worst);
    EXPECT_EQ(seen.error, right.error);
    EXPECT_EQ(seen.error_element, right.error_element);
    EXPECT_EQ(seen.largest, right.largest);
    EXPECT_EQ(seen.not_finite, right.not_finite);
    EXPECT_EQ(seen.nan_count, right.nan_count);
    EXPECT_EQ(seen.inf_count, right.inf_count);
    EXPECT_EQ(seen.zero_share, right.zero_share);
    EXPECT_NEAR(seen.error_norm, right.error_norm, 1e-12 * right.error_norm);
    if (seen.not_finite == 0 && right.error > 0) {
      EXPECT_EQ(seen.scale, right.scale);
    }
  }
}

}  // namespace
}  // namespace kernsweep
