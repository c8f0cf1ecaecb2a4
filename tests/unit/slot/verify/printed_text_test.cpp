#include "worker/slot/verify/printed_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kernsweep {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(PrintedText, NumbersAreAllWordsOrNone) {
  EXPECT_EQ(numbers_of_text("1 +2\n-3.5e1\t0x1"), std::nullopt);  // hexadecimal is no number here
  EXPECT_EQ(numbers_of_text(" 1 +2\n-3.5e1 "), (std::vector<double>{1, 2, -35}));
  EXPECT_EQ(numbers_of_text("1 2 three"), std::nullopt);
  EXPECT_EQ(numbers_of_text(" \n"), std::nullopt);
}

TEST(PrintedText, ANumberHasOneSignAtMost) {
  for (const char* word : {"+-7", "++7", "-+7", "--7", "+", "-", "1e+-2", "7e", "e7", ".", "1.2.3"})
    EXPECT_EQ(printed_number(word), std::nullopt) << word;
  EXPECT_EQ(printed_number("+7"), 7);
  EXPECT_EQ(printed_number("-7e+1"), -70);
}

// The smallest double above 0 is 4.9e-324, the largest 1.8e308.
TEST(PrintedText, WhatIsTooSmallIsZeroAndWhatIsTooLargeInfinite) {
  EXPECT_EQ(printed_number("1e-400"), 0);
  EXPECT_EQ(printed_number("-1e-400"), 0);
  EXPECT_TRUE(std::signbit(printed_number("-1e-400").value_or(1)));
  EXPECT_EQ(printed_number("1e400"), kInfinite);
  EXPECT_EQ(printed_number("-1e400"), -kInfinite);
  EXPECT_EQ(printed_number("1e99999999999999999999"), kInfinite);
  EXPECT_EQ(printed_number("1e-99999999999999999999"), 0);
  EXPECT_EQ(printed_number("0e99999999999999999999"), 0);
  EXPECT_EQ(printed_number("4e-320"), 4e-320);
  EXPECT_EQ(printed_number("0." + std::string(400, '0') + "1e401"), 1) << "the digits count, too";
}

TEST(PrintedText, WholeNumbersAreEqualHoweverTheyAreWritten) {
  for (const char* word : {"42", "+42", "042", "42.", "42.0", "4.2e1", "420e-1", "0.42E2"})
    EXPECT_EQ(whole_number(word), whole_number("42")) << word;
  for (const char* word : {"-42", "43", "420", "4.2"})
    EXPECT_NE(whole_number(word), whole_number("42")) << word;
  EXPECT_NE(whole_number("9007199254740993.0"), whole_number("9007199254740992"));  // 2^53 + 1 and 2^53
  EXPECT_EQ(whole_number("-0"), whole_number("0"));
  EXPECT_EQ(whole_number("0e7"), whole_number("0.000"));
  for (const char* word : {"0.5", "nan", "inf", "x", "", "1e-400", "4x"}) EXPECT_EQ(whole_number(word), "");
}

TEST(PrintedText, LinesLoseTheBlanksAtTheirEnds) {
  EXPECT_EQ(trimmed_lines("a  b \t\r\n c\n\n \n"), (std::vector<std::string_view>{"a  b", " c"}));
  EXPECT_TRUE(trimmed_lines("\n \n").empty());
}

TEST(PrintedText, BytesThatAreNoTextAreTold) {
  for (const char* text : {"", "a b\tc\r\n\v\f", "\xC3\xA4"}) EXPECT_FALSE(is_binary(text)) << text;
  for (const std::string_view bytes :
       {std::string_view("\0", 1), std::string_view("a\x1b[2J"), std::string_view("\xFF"),
        std::string_view("\xC3"), std::string_view("\x7F")})
    EXPECT_TRUE(is_binary(bytes));
}

}  // namespace
}  // namespace kernsweep
