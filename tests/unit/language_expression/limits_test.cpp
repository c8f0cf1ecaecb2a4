// The ends of 64 bits at every operation, and the bounds on what is read.
#include <gtest/gtest.h>

#include <limits>

#include "language/expression/code.hpp"
#include "tests/unit/language_expression/answer.hpp"

namespace kernsweep {
namespace {

using testing::answer;

std::string at_the_ends(std::string_view text) {
  return answer(text, {{"lowest", std::numeric_limits<std::int64_t>::min()},
                       {"highest", std::numeric_limits<std::int64_t>::max()},
                       {"minus", -1}});
}

class Overflow : public ::testing::TestWithParam<std::string_view> {};

TEST_P(Overflow, IsAnErrorAndNeverWrapsAround) {
  const std::string said = at_the_ends(GetParam());
  EXPECT_NE(said.find("does not fit in 64 bits"), std::string::npos) << said;
}

INSTANTIATE_TEST_SUITE_P(EachOperation, Overflow,
                         ::testing::Values("highest + 1", "lowest + minus", "lowest - 1", "highest - minus",
                                           "0 - lowest", "highest * 2", "lowest * minus", "minus * lowest",
                                           "lowest // minus", "ceil_div(lowest, minus)", "highest ** 2",
                                           "2 ** 63", "3 ** 40", "-lowest", "abs(lowest)",
                                           "round(highest, -19)", "round(lowest, -1)",
                                           "round(9223372036854775808.0)", "true + highest"));

TEST(Overflow, TheLastValuesThatFitAreComputed) {
  EXPECT_EQ(at_the_ends("highest + 0"), "i9223372036854775807");
  EXPECT_EQ(at_the_ends("-highest - 1"), "i-9223372036854775808");
  EXPECT_EQ(at_the_ends("lowest // 1"), "i-9223372036854775808");
  EXPECT_EQ(at_the_ends("lowest % minus"), "i0");  // the quotient does not fit, the remainder does
  EXPECT_EQ(at_the_ends("(-2) ** 63"), "i-9223372036854775808");
  EXPECT_EQ(at_the_ends("minus ** highest"), "i-1");
  EXPECT_EQ(at_the_ends("2 ** 62 - 1 + 2 ** 62"), "i9223372036854775807");
  EXPECT_EQ(at_the_ends("abs(lowest + 1)"), "i9223372036854775807");
  EXPECT_EQ(at_the_ends("round(lowest, -400)"), "i0");
  EXPECT_EQ(at_the_ends("round(highest, lowest)"), "i0");
}

TEST(Overflow, ALiteralThatDoesNotFitIsRefusedWhenRead) {
  EXPECT_EQ(answer("9223372036854775807"), "i9223372036854775807");
  EXPECT_EQ(answer("-9223372036854775808"), "i-9223372036854775808");
  EXPECT_EQ(answer("1 -9223372036854775807"), "i-9223372036854775806");
  for (const std::string_view text :
       {"9223372036854775808", "-9223372036854775809", "1 - 9223372036854775808",
        "99999999999999999999999999", "-9223372036854775808 ** 1"}) {
    const auto expression = Expression::parse(text);
    ASSERT_FALSE(expression) << text;
    EXPECT_NE(expression.error().message.find("does not fit in 64 bits"), std::string::npos) << text;
  }
}

std::string repeated(std::string_view part, std::size_t times) {
  std::string out;
  for (std::size_t i = 0; i < times; ++i) out += part;
  return out;
}

TEST(Limits, DepthIsBoundedForEveryWayToNest) {
  using expression::kDepthMax;
  const struct {
    std::string_view open, inner, close;
  } ways[] = {{"(", "1", ")"},   {"[", "1", "]"},           {"abs(", "1", ")"}, {"-", "1", ""},
              {"not ", "1", ""}, {"1 if 0 else ", "1", ""}, {"1 ** ", "1", ""}};
  for (const auto& way : ways) {
    const auto nested = [&](std::size_t depth) {
      return Expression::parse(repeated(way.open, depth) + std::string(way.inner) +
                               repeated(way.close, depth));
    };
    EXPECT_TRUE(nested(kDepthMax)) << way.open;
    const auto refused = nested(kDepthMax + 1);
    ASSERT_FALSE(refused) << way.open;
    EXPECT_NE(refused.error().message.find("more than 64 levels"), std::string::npos)
        << refused.error().message;
  }
}

TEST(Limits, DepthIsGivenBackWhenALevelEnds) {
  EXPECT_EQ(answer(repeated("(1) + ", 300) + "1"), "i301");
  EXPECT_EQ(answer(repeated("(1) + ", 300) + repeated("(", 64) + "1" + repeated(")", 64)), "i301");
}

TEST(Limits, ChainsCostNoDepth) {
  EXPECT_EQ(answer("0" + repeated(" + 1", 1000)), "i1000");
  EXPECT_EQ(answer("0" + repeated(" < 1 > 0", 500)), "b1");
  EXPECT_EQ(answer("0" + repeated(" or 0", 800) + " or 7"), "i7");
  EXPECT_EQ(answer("0 in [1" + repeated(",1", 2000) + "]"), "b0");
  EXPECT_EQ(answer("max(1" + repeated(",x", 1000) + ",2)", {{"x", 0}}), "i2");
  // Computed items need more room than evaluation keeps ready.
  EXPECT_EQ(answer("len([x" + repeated(",x", 1999) + "])", {{"x", 0}}), "i2000");
}

TEST(Limits, LengthIsBounded) {
  using expression::kLengthMax;
  const std::string longest = "1" + std::string(kLengthMax - 1, ' ');
  EXPECT_EQ(answer(longest), "i1");
  EXPECT_EQ(answer(longest + " "),
            "column 4097: the expression has 4097 bytes, at most 4096 are allowed; split it into several");
}

TEST(Limits, AnErrorAtTheEndOfALongExpressionHasItsColumn) {
  // 4094 blanks, then the value that is missing behind '+'.
  EXPECT_EQ(answer("1" + std::string(4094, ' ') + "+"), "column 4097: expected a value, found the end");
}

}  // namespace
}  // namespace kernsweep
