#include "shared/base/dtype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "kernels/api/pack.h"

namespace kernsweep {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(DtypeTest, NumbersAreThoseOfThePackInterface) {
  EXPECT_EQ(static_cast<int>(Dtype::f64), KS_F64);
  EXPECT_EQ(static_cast<int>(Dtype::f32), KS_F32);
  EXPECT_EQ(static_cast<int>(Dtype::bf16), KS_BF16);
  EXPECT_EQ(static_cast<int>(Dtype::f16), KS_F16);
  EXPECT_EQ(static_cast<int>(Dtype::s8), KS_S8);
  EXPECT_EQ(static_cast<int>(Dtype::u8), KS_U8);
  EXPECT_EQ(static_cast<int>(Dtype::s32), KS_S32);
  EXPECT_EQ(static_cast<int>(Dtype::s64), KS_S64);
  EXPECT_EQ(static_cast<int>(Dtype::f8e4m3), KS_F8E4M3);
  EXPECT_EQ(static_cast<int>(Dtype::f8e5m2), KS_F8E5M2);
}

TEST(DtypeTest, EveryNameAndNumberLeadsBackToItsType) {
  for (const Dtype dtype : kAllDtypes) {
    EXPECT_EQ(dtype_named(name_of(dtype)), dtype);
    EXPECT_EQ(dtype_numbered(static_cast<int>(dtype)), dtype);
  }
  EXPECT_EQ(dtype_named("f8"), std::nullopt);
  EXPECT_EQ(dtype_named(""), std::nullopt);
  EXPECT_EQ(dtype_numbered(0), std::nullopt);
  EXPECT_EQ(dtype_numbered(11), std::nullopt);
  EXPECT_EQ(dtype_numbered(-1), std::nullopt);
  EXPECT_EQ(size_of(static_cast<Dtype>(99)), 0u);
}

TEST(DtypeTest, EveryBf16SurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_of_bf16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_of_bf16(bf16_of(value)))) << bits;
    } else {
      ASSERT_EQ(bf16_of(value), bits);
    }
  }
}

TEST(DtypeTest, EveryF16SurvivesTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = float_of_f16(static_cast<std::uint16_t>(bits));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(float_of_f16(f16_of(value)))) << bits;
    } else {
      ASSERT_EQ(f16_of(value), bits);
    }
  }
}

TEST(DtypeTest, F16ValuesAreThoseOfTheStandard) {
  EXPECT_EQ(float_of_f16(0x3c00), 1.0f);
  EXPECT_EQ(float_of_f16(0xc000), -2.0f);
  EXPECT_EQ(float_of_f16(0x7bff), 65504.0f);
  EXPECT_EQ(float_of_f16(0x0400), 0x1p-14f);  // smallest normal
  EXPECT_EQ(float_of_f16(0x0001), 0x1p-24f);  // smallest denormal
  EXPECT_EQ(float_of_f16(0x03ff), 1023 * 0x1p-24f);
  EXPECT_EQ(float_of_f16(0x7c00), kInfinity);
  EXPECT_TRUE(std::signbit(float_of_f16(0x8000)));
}

TEST(DtypeTest, Bf16RoundsTiesToEven) {
  // 7 bits of fraction: neighbours of 1 are 2^-7 apart, so 1 + 2^-8 lies half way between 0x3f80 and
  // 0x3f81.
  EXPECT_EQ(bf16_of(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(bf16_of(1.0f + 0x1p-7f + 0x1p-8f), 0x3f82);
  EXPECT_EQ(bf16_of(1.0f + 0x1p-8f + 0x1p-20f), 0x3f81);
  EXPECT_EQ(bf16_of(-(1.0f + 0x1p-8f)), 0xbf80);
  EXPECT_EQ(bf16_of(std::numeric_limits<float>::max()), 0x7f80);  // carries into infinity
}

TEST(DtypeTest, F16RoundsTiesToEven) {
  // 10 bits of fraction: 1 + 2^-11 lies half way between 0x3c00 and 0x3c01.
  EXPECT_EQ(f16_of(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(f16_of(1.0f + 0x1p-10f + 0x1p-11f), 0x3c02);
  EXPECT_EQ(f16_of(1.0f + 0x1p-11f + 0x1p-20f), 0x3c01);
  // Denormals are multiples of 2^-24; half of the smallest is a tie with 0, a little more is not.
  EXPECT_EQ(f16_of(0x1p-25f), 0x0000);
  EXPECT_EQ(f16_of(0x1.000002p-25f), 0x0001);
  EXPECT_EQ(f16_of(3 * 0x1p-25f), 0x0002);
  EXPECT_EQ(f16_of(-0x1.000002p-25f), 0x8001);
  EXPECT_EQ(f16_of(0x1p-26f), 0x0000);
  EXPECT_EQ(f16_of(0x1.ff8p-15f), 0x03ff);  // largest denormal, 1023 * 2^-24
  EXPECT_EQ(f16_of(0x1.ffcp-15f), 0x0400);  // the tie above it rounds into the normals
  // 65520 is the tie between 65504 and what would be 65536.
  EXPECT_EQ(f16_of(65519.996f), 0x7bff);
  EXPECT_EQ(f16_of(65520.0f), 0x7c00);
}

TEST(DtypeTest, InfinityStaysInfinityAndNanStaysNanOfItsSign) {
  EXPECT_EQ(bf16_of(kInfinity), 0x7f80);
  EXPECT_EQ(bf16_of(-kInfinity), 0xff80);
  EXPECT_EQ(f16_of(kInfinity), 0x7c00);
  EXPECT_EQ(f16_of(-kInfinity), 0xfc00);
  EXPECT_EQ(bf16_of(static_cast<double>(kInfinity)), 0x7f80);
  EXPECT_EQ(f16_of(-static_cast<double>(kInfinity)), 0xfc00);
  EXPECT_TRUE(std::isnan(float_of_bf16(bf16_of(kNan))));
  EXPECT_TRUE(std::isnan(float_of_f16(f16_of(kNan))));
  EXPECT_TRUE(std::isnan(float_of_f16(f16_of(static_cast<double>(kNan)))));
  // A signalling NaN whose only set bit would be cut off must not become infinity.
  const float low_nan = std::bit_cast<float>(0xff800001u);
  EXPECT_GT(bf16_of(low_nan) & 0x7fff, 0x7f80);
  EXPECT_GT(f16_of(low_nan) & 0x7fff, 0x7c00);
  EXPECT_NE(bf16_of(low_nan) & 0x8000, 0);
}

TEST(DtypeTest, DoublesAreRoundedOnce) {
  // 1 + 2^-8 + 2^-40 is above the tie of bf16, but its nearest f32 is the tie itself, which rounds down to
  // even.
  const double above_tie = 1.0 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(bf16_of(static_cast<float>(above_tie)), 0x3f80);
  EXPECT_EQ(bf16_of(above_tie), 0x3f81);
  EXPECT_EQ(f16_of(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
  // Just below the tie between 0x3f81 and 0x3f82.
  EXPECT_EQ(bf16_of(1.0 + 3 * 0x1p-8 - 0x1p-40), 0x3f81);
  EXPECT_EQ(f16_of(-(1.0 + 0x1p-11 + 0x1p-40)), 0xbc01);
  EXPECT_EQ(f16_of(1e300), 0x7c00);
  EXPECT_EQ(f16_of(1e-300), 0x0000);
  EXPECT_EQ(bf16_of(-1e-300), 0x8000);
}

TEST(DtypeTest, ElementsAreReadByTheirTypeWithoutAlignment) {
  std::array<std::byte, 17> bytes{};
  const auto put = [&](auto value) { std::memcpy(bytes.data() + 1 + sizeof value, &value, sizeof value); };
  const auto get = [&](Dtype dtype) { return element_as_double(dtype, bytes.data() + 1, 1); };
  put(-1.25);
  EXPECT_EQ(get(Dtype::f64), -1.25);
  put(0.1f);
  EXPECT_EQ(get(Dtype::f32), static_cast<double>(0.1f));
  put(std::uint16_t{0xc000});
  EXPECT_EQ(get(Dtype::f16), -2.0);
  EXPECT_EQ(get(Dtype::bf16), -2.0);
  put(std::uint8_t{0xc0});
  EXPECT_EQ(get(Dtype::f8e4m3), -2.0);
  EXPECT_EQ(get(Dtype::f8e5m2), -2.0);
  put(std::int8_t{-128});
  EXPECT_EQ(get(Dtype::s8), -128.0);
  put(std::uint8_t{255});
  EXPECT_EQ(get(Dtype::u8), 255.0);
  put(std::int32_t{-2147483647});
  EXPECT_EQ(get(Dtype::s32), -2147483647.0);
  put(std::int64_t{1} << 53);
  EXPECT_EQ(get(Dtype::s64), 0x1p53);
}

}  // namespace
}  // namespace kernsweep
