#include "worker/slot/job/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

ks_tensor tensor(const void* data, ks_dtype dtype, const std::vector<std::int64_t>& shape,
                 const std::vector<std::int64_t>& strides) {
  ks_tensor out{};
  out.data = data;
  out.dtype = dtype;
  out.rank = static_cast<std::int32_t>(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    out.shape[d] = shape[d];
    out.strides[d] = strides[d];
  }
  return out;
}

ks_tensor dense(const void* data, ks_dtype dtype, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return tensor(data, dtype, shape, strides);
}

// N = 2, C = 3, H = 2, W = 2; the element at (n, c, h, w) is its own place in NCHW order.
struct TwoLayouts {
  std::vector<float> nchw, nhwc;
  ks_tensor as_nchw, as_nhwc;
  TwoLayouts() : nchw(24), nhwc(24) {
    for (int n = 0; n < 2; ++n) {
      for (int c = 0; c < 3; ++c) {
        for (int at = 0; at < 4; ++at) {
          const auto value = static_cast<float>(n * 12 + c * 4 + at);
          nchw[static_cast<std::size_t>(n * 12 + c * 4 + at)] = value;
          nhwc[static_cast<std::size_t>(n * 12 + at * 3 + c)] = value;
        }
      }
    }
    as_nchw = dense(nchw.data(), KS_F32, {2, 3, 2, 2});
    as_nhwc = tensor(nhwc.data(), KS_F32, {2, 3, 2, 2}, {12, 1, 6, 3});
  }
};

// One element, shown as 2^50 of them by a stride of 0: their doubles need 9 petabytes.
TEST(Output, ThatNoMemoryCanHoldIsAnErrorAtOnce) {
#ifdef KERNSWEEP_SANITIZED
  GTEST_SKIP() << "AddressSanitizer ends a program that asks for so much";
#endif
  const float one = 1;
  const auto values = dense_doubles(tensor(&one, KS_F32, {std::int64_t{1} << 50}, {0}));
  ASSERT_FALSE(values);
  EXPECT_THAT(values.error().message, IsGolden());
}

TEST(Output, IsGatheredInOnePiece) {
  std::vector<float> many(100'003, 1.5F);
  const auto values = dense_doubles(dense(many.data(), KS_F32, {100'003}));
  ASSERT_TRUE(values);
  EXPECT_EQ(values->capacity(), values->size()) << "it grew";
}

TEST(Output, LayoutsOfOneResultAreAlike) {
  const TwoLayouts both;
  std::vector<double> expected(24);
  for (std::size_t i = 0; i < 24; ++i) expected[i] = static_cast<double>(i);
  EXPECT_EQ(dense_doubles(both.as_nchw), expected);
  EXPECT_EQ(dense_doubles(both.as_nhwc), expected);
  EXPECT_EQ(output_hash(both.as_nchw), output_hash(both.as_nhwc));
  EXPECT_EQ(element_count(both.as_nhwc), 24u);
}

TEST(Output, PaddedRowsAreSkipped) {
  const std::vector<float> padded = {1, 2, 3, -1, 4, 5, 6, -1};
  const std::vector<float> tight = {1, 2, 3, 4, 5, 6};
  const ks_tensor with_padding = tensor(padded.data(), KS_F32, {2, 3}, {4, 1});
  EXPECT_EQ(dense_doubles(with_padding), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(output_hash(with_padding), output_hash(dense(tight.data(), KS_F32, {2, 3})));
}

TEST(Output, NegativeStridesRunBackwards) {
  const std::vector<std::int32_t> values = {1, 2, 3};
  EXPECT_EQ(dense_doubles(tensor(values.data() + 2, KS_S32, {3}, {-1})), (std::vector<double>{3, 2, 1}));
}

TEST(Output, HashTellsBitsShapeAndDtypeApart) {
  const std::vector<float> values = {1, 2, 3, 4};
  std::vector<float> other = values;
  other[3] = std::nextafter(4.0F, 5.0F);
  const Digest hash = output_hash(dense(values.data(), KS_F32, {4}));
  EXPECT_NE(output_hash(dense(other.data(), KS_F32, {4})), hash);
  EXPECT_NE(output_hash(dense(values.data(), KS_F32, {2, 2})), hash);
  EXPECT_NE(output_hash(dense(values.data(), KS_F32, {1, 4})), hash);
  EXPECT_NE(output_hash(dense(values.data(), KS_S32, {4})), hash);
}

TEST(Output, OfRankZeroIsOneElement) {
  const double value = 2.5;
  const ks_tensor scalar = dense(&value, KS_F64, {});
  EXPECT_EQ(element_count(scalar), 1u);
  EXPECT_EQ(dense_doubles(scalar), std::vector<double>{2.5});
  EXPECT_NE(output_hash(scalar), output_hash(dense(&value, KS_F64, {1})));
}

TEST(Output, WithAZeroExtentIsEmptyAndNeedsNoData) {
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{0}, {0, 5}, {5, 0}, {2, 0, 3}}) {
    const ks_tensor empty = dense(nullptr, KS_F32, shape);
    EXPECT_EQ(element_count(empty), 0u);
    EXPECT_EQ(dense_doubles(empty), std::vector<double>());
    EXPECT_EQ(output_hash(empty), output_hash(empty));
  }
}

TEST(Output, EveryDtypeIsReadAsItsNumbers) {
  const std::int8_t s8[] = {-128, 127};
  const std::uint8_t u8[] = {0, 255};
  const std::int64_t s64[] = {-5, std::int64_t{1} << 40};
  const std::uint16_t bf16[] = {0x3FC0, 0xC000};  // 1.5, -2
  const std::uint16_t f16[] = {0x3E00, 0xC000};   // 1.5, -2
  const std::uint8_t f8e4m3[] = {0x3C, 0xFE};     // 1.5, -448
  const std::uint8_t f8e5m2[] = {0x3E, 0xFB};     // 1.5, -57344
  EXPECT_EQ(dense_doubles(dense(s8, KS_S8, {2})), (std::vector<double>{-128, 127}));
  EXPECT_EQ(dense_doubles(dense(u8, KS_U8, {2})), (std::vector<double>{0, 255}));
  EXPECT_EQ(dense_doubles(dense(s64, KS_S64, {2})), (std::vector<double>{-5, 0x1p40}));
  EXPECT_EQ(dense_doubles(dense(bf16, KS_BF16, {2})), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(dense_doubles(dense(f16, KS_F16, {2})), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(dense_doubles(dense(f8e4m3, KS_F8E4M3, {2})), (std::vector<double>{1.5, -448}));
  EXPECT_EQ(dense_doubles(dense(f8e5m2, KS_F8E5M2, {2})), (std::vector<double>{1.5, -57344}));
  EXPECT_NE(output_hash(dense(f8e4m3, KS_F8E4M3, {2})), output_hash(dense(f8e4m3, KS_F8E5M2, {2})))
      << "equal bytes are other numbers";
}

TEST(Output, ThatMakesNoSenseIsRefused) {
  const float value = 1;
  const ks_tensor good = dense(&value, KS_F32, {1});
  ASSERT_TRUE(element_count(good));
  const auto refusal = [&](auto change) {
    ks_tensor bad = good;
    change(bad);
    const auto count = element_count(bad);
    EXPECT_FALSE(count);
    return count ? std::string() : count.error().message;
  };
  EXPECT_THAT(refusal([](ks_tensor& t) { t.rank = -1; }), IsGolden());
  EXPECT_THAT(refusal([](ks_tensor& t) { t.rank = KS_RANK_MAX + 1; }), IsGolden());
  EXPECT_THAT(refusal([](ks_tensor& t) { t.dtype = static_cast<ks_dtype>(0); }), IsGolden());
  EXPECT_THAT(refusal([](ks_tensor& t) { t.dtype = static_cast<ks_dtype>(11); }), IsGolden());
  EXPECT_THAT(refusal([](ks_tensor& t) { t.shape[0] = -1; }), IsGolden());
  EXPECT_THAT(refusal([](ks_tensor& t) { t.data = nullptr; }), IsGolden());
  EXPECT_THAT(refusal([](ks_tensor& t) {
                t.rank = 3;
                t.shape[0] = t.shape[1] = t.shape[2] = std::int64_t{1} << 40;
              }),
              IsGolden());
}

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

ks_tensor floats(std::vector<float>& values, std::int64_t count, std::int64_t stride) {
  ks_tensor out{};
  out.data = values.data();
  out.dtype = KS_F32;
  out.rank = 1;
  out.shape[0] = count;
  out.strides[0] = stride;
  return out;
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

TEST(Poison, OverwritesTheElementsAndNothingBetweenThem) {
  for (const ks_dtype dtype : {KS_F32, KS_S32}) {
    GuardedMemory memory;
    auto* const data = static_cast<std::int32_t*>(memory.allocate(24));
    ASSERT_NE(data, nullptr);
    const ks_tensor columns = tensor(data, dtype, {2, 2}, {3, 1});  // of 2 rows of 3
    ASSERT_TRUE(lies_in(memory, columns));
    poison(columns);
    EXPECT_EQ(poisoned_elements(columns), 4U);
    EXPECT_TRUE(was_left(columns));
    EXPECT_EQ(data[2], 0);
    EXPECT_EQ(data[5], 0);
    EXPECT_EQ(std::isnan(dense_doubles(columns)->front()), dtype == KS_F32);
    data[0] = 1;
    EXPECT_EQ(poisoned_elements(columns), 3U);
  }
}

TEST(Poison, OfWholeNumbersAFewMayHoldThePatternByChance) {
  std::vector<std::uint8_t> bytes(64, 1);
  bytes[7] = bytes[9] = bytes[11] = 0xA7;
  EXPECT_FALSE(was_left(dense(bytes.data(), KS_U8, {64})));
  bytes[13] = 0xA7;
  EXPECT_TRUE(was_left(dense(bytes.data(), KS_U8, {64})));
}

TEST(Poison, OnlyMemoryOfTheJobIsItsOwn) {
  GuardedMemory memory;
  auto* const data = static_cast<float*>(memory.allocate(4096));
  ASSERT_NE(data, nullptr);
  EXPECT_TRUE(lies_in(memory, dense(data, KS_F32, {1024})));
  EXPECT_TRUE(lies_in(memory, tensor(data + 1023, KS_F32, {1024}, {-1})));
  EXPECT_FALSE(lies_in(memory, tensor(data, KS_F32, {2}, {-1}))) << "begins before the block";
  EXPECT_FALSE(lies_in(memory, dense(data, KS_F32, {1 << 20}))) << "ends behind the block";
  EXPECT_FALSE(lies_in(memory, tensor(data, KS_F32, {2, 2}, {INT64_MAX, INT64_MAX})));
  EXPECT_FALSE(lies_in(memory, dense(data, KS_F32, {0}))) << "has no element";
  const std::vector<float> elsewhere(4);
  EXPECT_FALSE(lies_in(memory, dense(elsewhere.data(), KS_F32, {4})));
}

}  // namespace
}  // namespace kernsweep
