// The 8-bit floats against their definition: sign, exponent and fraction as the specification of the Open
// Compute Project adds them up, in doubles, where all of it is exact.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "shared/base/dtype.hpp"

namespace kernsweep {
namespace {

struct Format {
  const char* name;
  int exponent_bits, fraction_bits, bias;
  bool infinities;
  double largest;
  float (*value)(std::uint8_t);
  std::uint8_t (*of_float)(float);
  std::uint8_t (*of_double)(double);
};
const Format kFormats[] = {
    {"f8e4m3", 4, 3, 7, false, 448, float_of_f8e4m3, f8e4m3_of, f8e4m3_of},
    {"f8e5m2", 5, 2, 15, true, 57344, float_of_f8e5m2, f8e5m2_of, f8e5m2_of},
};

// (-1)^S 2^(E - bias) (1 + F / 2^f), or (-1)^S 2^(1 - bias) F / 2^f where E is 0; table 1 of the
// specification says what the largest E means.
double by_definition(const Format& format, int code) {
  const int fraction = code % (1 << format.fraction_bits);
  const int exponent = code >> format.fraction_bits & ((1 << format.exponent_bits) - 1);
  const double sign = code >= 128 ? -1 : 1;
  const bool last = exponent == (1 << format.exponent_bits) - 1;
  if (last && format.infinities)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
  if (last && fraction == (1 << format.fraction_bits) - 1) return std::nan("");
  const int lead = exponent == 0 ? 0 : 1 << format.fraction_bits;
  return sign * std::ldexp(lead + fraction, std::max(exponent, 1) - format.bias - format.fraction_bits);
}

std::vector<int> finite_codes(const Format& format) {  // of numbers from 0 up, ascending
  std::vector<int> codes;
  for (int code = 0; code < 128; ++code)
    if (std::isfinite(by_definition(format, code))) codes.push_back(code);
  return codes;
}

// The nearest number, of two the one with an even code; `beyond` is the code of what is too large. By
// looking at all of them.
int nearest(const Format& format, double value, int beyond) {
  const int sign = std::signbit(value) ? 128 : 0;
  const std::vector<int> codes = finite_codes(format);
  const double last = by_definition(format, codes.back());
  const double step = last - by_definition(format, codes[codes.size() - 2]);
  const double magnitude = std::fabs(value);
  const bool last_is_odd = codes.back() % 2 != 0;
  if (magnitude > last + step / 2 || (magnitude == last + step / 2 && last_is_odd)) return sign | beyond;
  int best = 0;
  for (const int code : codes) {
    const double distance = std::fabs(by_definition(format, code) - magnitude);
    const double smallest = std::fabs(by_definition(format, best) - magnitude);
    if (distance < smallest || (distance == smallest && code % 2 == 0)) best = code;
  }
  return sign | best;
}

int beyond(const Format& format) {
  return format.infinities ? 0x7c : 0x7e;
}

TEST(DtypeF8Test, EveryCodeIsTheNumberOfItsDefinition) {
  for (const Format& format : kFormats) {
    int nans = 0;
    for (int code = 0; code < 256; ++code) {
      const double expected = by_definition(format, code);
      const double seen = static_cast<double>(format.value(static_cast<std::uint8_t>(code)));
      nans += std::isnan(seen);
      ASSERT_EQ(std::isnan(seen), std::isnan(expected)) << format.name << " " << code;
      ASSERT_EQ(std::signbit(seen), code >= 128) << format.name << " " << code;
      if (!std::isnan(seen)) {
        ASSERT_EQ(seen, expected) << format.name << " " << code;
      }
    }
    EXPECT_EQ(nans, format.infinities ? 6 : 2);
    EXPECT_EQ(by_definition(format, finite_codes(format).back()), format.largest);
  }
}

TEST(DtypeF8Test, EveryCodeSurvivesTheWayThroughFloatAndDouble) {
  for (const Format& format : kFormats)
    for (int code = 0; code < 256; ++code) {
      const float value = format.value(static_cast<std::uint8_t>(code));
      const std::uint8_t back = format.of_float(value);
      if (std::isnan(value)) {
        EXPECT_TRUE(std::isnan(format.value(back))) << format.name << " " << code;
        EXPECT_EQ(back & 0x80, code & 0x80) << format.name << " " << code;
      } else {
        ASSERT_EQ(back, code) << format.name;
        ASSERT_EQ(format.of_double(static_cast<double>(value)), code) << format.name;
      }
    }
}

// Half way between neighbours, and as little as an f32, and a double, can be on either side of it.
TEST(DtypeF8Test, MidpointsGoToTheEvenCodeAndWhatIsBesideThemToTheNearer) {
  for (const Format& format : kFormats) {
    const std::vector<int> codes = finite_codes(format);
    for (std::size_t i = 0; i + 1 < codes.size(); ++i) {
      const double middle = (by_definition(format, codes[i]) + by_definition(format, codes[i + 1])) / 2;
      const int even = codes[i] % 2 == 0 ? codes[i] : codes[i + 1];
      for (const int sign : {0, 128}) {
        const double at = sign == 0 ? middle : -middle;
        const auto at32 = static_cast<float>(at);
        ASSERT_EQ(static_cast<double>(at32), at);
        ASSERT_EQ(format.of_float(at32), sign | even) << format.name << " " << at;
        ASSERT_EQ(format.of_double(at), sign | even) << format.name << " " << at;
        ASSERT_EQ(format.of_float(std::nextafterf(at32, 0)), sign | codes[i]) << format.name << " " << at;
        ASSERT_EQ(format.of_double(std::nextafter(at, 0)), sign | codes[i]) << format.name << " " << at;
        ASSERT_EQ(format.of_float(std::nextafterf(at32, 2 * at32)), sign | codes[i + 1]) << format.name;
        ASSERT_EQ(format.of_double(std::nextafter(at, 2 * at)), sign | codes[i + 1]) << format.name;
      }
    }
  }
}

TEST(DtypeF8Test, RandomBitsBecomeTheNearestNumber) {
  std::mt19937_64 engine(20260101);
  for (const Format& format : kFormats)
    for (int i = 0; i < 20000; ++i) {
      const auto bits = engine();
      const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
      // Exponents from 2^-20 to 2^20, where the numbers of both formats are.
      const double wide = std::bit_cast<double>((bits & ~(std::uint64_t{0x7ff} << 52)) |
                                                (std::uint64_t{1003} + bits % 41) << 52);
      if (std::isnan(narrow)) continue;
      ASSERT_EQ(format.of_float(narrow), nearest(format, static_cast<double>(narrow), beyond(format)))
          << format.name << " " << narrow;
      ASSERT_EQ(format.of_double(wide), nearest(format, wide, beyond(format)))
          << format.name << " " << wide;
    }
}

TEST(DtypeF8Test, WhatIsTooLargeStaysFiniteWithoutAnInfinityAndBecomesOneWithIt) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(f8e4m3_of(464.0f), 0x7e) << "the tie above 448";
  EXPECT_EQ(f8e4m3_of(480.0f), 0x7e) << "would be the code of NaN";
  EXPECT_EQ(f8e4m3_of(std::numeric_limits<float>::max()), 0x7e);
  EXPECT_EQ(f8e4m3_of(-kInfinity), 0xfe);
  EXPECT_EQ(f8e4m3_of(1e300), 0x7e);
  EXPECT_EQ(f8e5m2_of(61439.996f), 0x7b);
  EXPECT_EQ(f8e5m2_of(61440.0f), 0x7c) << "the tie above 57344";
  EXPECT_EQ(f8e5m2_of(std::numeric_limits<float>::max()), 0x7c);
  EXPECT_EQ(f8e5m2_of(-kInfinity), 0xfc);
  EXPECT_EQ(f8e5m2_of(-1e300), 0xfc);
}

TEST(DtypeF8Test, NanStaysNanOfItsSign) {
  for (const std::uint32_t bits : {0x7fc00000u, 0x7f800001u, 0xffc00000u, 0xff800001u, 0x7fffffffu}) {
    const auto nan = std::bit_cast<float>(bits);
    for (const Format& format : kFormats) {
      EXPECT_TRUE(std::isnan(format.value(format.of_float(nan)))) << format.name << " " << bits;
      EXPECT_EQ(format.of_float(nan) >> 7, bits >> 31) << format.name;
    }
  }
  EXPECT_TRUE(std::isnan(float_of_f8e4m3(f8e4m3_of(std::nan("")))));
  EXPECT_TRUE(std::isnan(float_of_f8e5m2(f8e5m2_of(std::nan("")))));
}

// 1 + 2^-4 is half way between 1 and the next f8e4m3; as an f32 this is that tie itself.
TEST(DtypeF8Test, DoublesAreRoundedOnce) {
  const double above_tie = 1.0 + 0x1p-4 + 0x1p-40;
  EXPECT_EQ(f8e4m3_of(static_cast<float>(above_tie)), 0x38);
  EXPECT_EQ(f8e4m3_of(above_tie), 0x39);
  EXPECT_EQ(f8e5m2_of(-(1.0 + 0x1p-3 + 0x1p-40)), 0xbd);
  EXPECT_EQ(f8e4m3_of(1e-300), 0x00);
  EXPECT_EQ(f8e5m2_of(-1e-300), 0x80);
}

}  // namespace
}  // namespace kernsweep
