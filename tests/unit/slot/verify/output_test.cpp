#include "worker/slot/verify/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/golden_text/golden_text.hpp"
#include "worker/slot/verify/elements.hpp"

namespace kernsweep {
namespace {

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

TEST(Output, LayoutsOfOneResultAreAlike) {
  const TwoLayouts both;
  std::vector<double> expected(24);
  for (std::size_t i = 0; i < 24; ++i) expected[i] = static_cast<double>(i);
  EXPECT_EQ(Elements(both.as_nchw), Elements(expected));
  EXPECT_EQ(Elements(both.as_nhwc), Elements(expected));
  EXPECT_EQ(output_hash(both.as_nchw), output_hash(both.as_nhwc));
  EXPECT_EQ(element_count(both.as_nhwc), 24u);
}

TEST(Output, PaddedRowsAreSkipped) {
  const std::vector<float> padded = {1, 2, 3, -1, 4, 5, 6, -1};
  const std::vector<float> tight = {1, 2, 3, 4, 5, 6};
  const ks_tensor with_padding = tensor(padded.data(), KS_F32, {2, 3}, {4, 1});
  EXPECT_EQ(Elements(with_padding), (Elements{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(output_hash(with_padding), output_hash(dense(tight.data(), KS_F32, {2, 3})));
}

TEST(Output, NegativeStridesRunBackwards) {
  const std::vector<std::int32_t> values = {1, 2, 3};
  EXPECT_EQ(Elements(tensor(values.data() + 2, KS_S32, {3}, {-1})), (Elements{3, 2, 1}));
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
  EXPECT_EQ(Elements(scalar), (Elements{2.5}));
  EXPECT_NE(output_hash(scalar), output_hash(dense(&value, KS_F64, {1})));
}

TEST(Output, WithAZeroExtentIsEmptyAndNeedsNoData) {
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{0}, {0, 5}, {5, 0}, {2, 0, 3}}) {
    const ks_tensor empty = dense(nullptr, KS_F32, shape);
    EXPECT_EQ(element_count(empty), 0u);
    EXPECT_TRUE(Elements(empty).empty());
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
  EXPECT_EQ(Elements(dense(s8, KS_S8, {2})), (Elements{-128, 127}));
  EXPECT_EQ(Elements(dense(u8, KS_U8, {2})), (Elements{0, 255}));
  EXPECT_EQ(Elements(dense(s64, KS_S64, {2})), (Elements{-5, 0x1p40}));
  EXPECT_EQ(Elements(dense(bf16, KS_BF16, {2})), (Elements{1.5, -2}));
  EXPECT_EQ(Elements(dense(f16, KS_F16, {2})), (Elements{1.5, -2}));
  EXPECT_EQ(Elements(dense(f8e4m3, KS_F8E4M3, {2})), (Elements{1.5, -448}));
  EXPECT_EQ(Elements(dense(f8e5m2, KS_F8E5M2, {2})), (Elements{1.5, -57344}));
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
    EXPECT_EQ(std::isnan(Elements(columns)[0]), dtype == KS_F32);
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
