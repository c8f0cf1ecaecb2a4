// The messages of a sweep for points that its own rules reject.
#include "language/check/rejections.hpp"

#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

const std::string kRejecting =
    "axes: {m: [1, 2, 3, 4], v: [a, b]}\n"
    "exclude: [{m: 4, v: b}]\nconstraints: [{expr: m != 2, why: two is slow}]\n";

Replacements only(const std::string& condition) {
  Replacements replacements;
  replacements.only = condition;
  return replacements;
}

CheckLimits points_at_most(std::uint64_t points) {
  CheckLimits limits;
  limits.points = points;
  return limits;
}

TEST(Rejected, PointsAreCountedByTheFirstRuleThatRejectsThem) {
  const Expansion expansion = expansion_of(kRejecting);
  const Rejections rejections = rejections_of(check_report(expansion));
  EXPECT_TRUE(rejections.exact);
  EXPECT_EQ(rejections.raw_points, 8U);
  EXPECT_EQ(rejections.rejected, 3U);
  EXPECT_THAT(rejections.by_rule, ElementsAre(1U, 2U));
  const std::string text = text_of(rejections, expansion, "were");
  EXPECT_THAT(text, IsGolden());
}

TEST(Rejected, NothingIsSaidWhereNothingIsRejected) {
  const Expansion expansion = expansion_of("axes: {m: [1, 2]}\nconstraints: [m > 0]\n");
  EXPECT_EQ(text_of(rejections_of(check_report(expansion)), expansion, "are"), "");
}

TEST(Rejected, CountsOfAnInterruptedScanAreLowerBoundsAndSaySo) {
  const Expansion expansion = expansion_of("axes: {a: {range: [1, 100000000]}}\nconstraints: [a % 2 == 0]");
  const Rejections rejections = rejections_of(check_report(expansion, points_at_most(1000)));
  EXPECT_FALSE(rejections.exact);
  EXPECT_EQ(rejections.rejected, 500U);
  EXPECT_EQ(text_of(rejections, expansion, "are"),
            "at least 500 of 100,000,000 points are rejected: at least 500 by a % 2 == 0");
}

TEST(Rejected, ALineStaysALineWhateverTheRulesAre) {
  std::string text = "axes: {m: {range: [1, 10]}}\nconstraints:\n";
  for (int i = 1; i <= 6; ++i) text += "  - m != " + std::to_string(i) + "\n";
  text += "  - {expr: m != 7, why: '" + std::string(5000, 'x') + "'}\n";
  const Expansion expansion = expansion_of(text);
  const std::string told = text_of(rejections_of(check_report(expansion)), expansion, "are");
  EXPECT_LT(told.size(), 500U);
  EXPECT_THAT(told, IsGolden());
}

TEST(ASweepWithoutAPoint, IsRefusedByTheNameOfWhatLeavesNone) {
  const Expansion none = expansion_of(kRejecting, only("m > 4"));
  const Status some = leaves_a_point(none, {});
  ASSERT_FALSE(some);
  EXPECT_THAT(some.error().message, IsGolden());
  EXPECT_TRUE(leaves_a_point(expansion_of(kRejecting, only("m == 4")), {}));
  EXPECT_FALSE(leaves_a_point(expansion_of("axes: {m: [1, 2]}\nconstraints: [m > 2]\n"), {}));
}

TEST(ASweepWithoutAPoint, IsFoundInEachOrderOfItsJobs) {
  for (const char* order : {"shuffle", "interleave", "sequential"}) {
    const std::string text =
        std::string("axes: {m: {range: [1, 50]}}\nconstraints: [m == CHOSEN]\nmeasure: {order: ") + order +
        ", processes: 3, cache: [hot, cold]}\n";
    for (int m = 1; m <= 51; ++m) {
      std::string chosen = text;
      chosen.replace(chosen.find("CHOSEN"), 6, std::to_string(m));
      EXPECT_EQ(leaves_a_point(expansion_of(chosen), {}).has_value(), m <= 50) << order << " " << m;
    }
  }
}

TEST(ASweepWithoutAPoint, IsNotClaimedBeforeAllWereSeen) {
  const Expansion huge = expansion_of("axes: {a: {range: [1, 100000000]}}\nconstraints: [a > 100000000]\n");
  EXPECT_TRUE(leaves_a_point(huge, points_at_most(1000)));
}

}  // namespace
}  // namespace kernsweep::sweep_test
