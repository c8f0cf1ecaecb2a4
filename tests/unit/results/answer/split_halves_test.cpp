// Halves of the same thing, held against each other.
#include "results/answer/split_halves.hpp"

#include "tests/unit/results/answer/compare_fixture.hpp"

namespace kernsweep {
namespace {

using test::CompareTest;
using test::good;
using test::Job;
using test::side;
using testing::HasSubstr;

struct SplitHalves : CompareTest {};

// Processes that are alike: none of the splits differs. Processes of two kinds, 50 % apart: every split of
// four that separates them does, 2 of 6.
TEST_F(SplitHalves, HalvesOfOneKindAreTheSame) {
  begin("s", {"m"});
  put_point({1}, 0.001, nullptr, 6);
  put_point({2}, 0.001, nullptr, 1);
  Reader r = reader();
  const SplitAnswer answer = good(split_halves(r, {.side = side("s")}));
  EXPECT_EQ(answer.points, 1U);
  EXPECT_EQ(answer.too_few, 1U);
  EXPECT_EQ(answer.pairs, 2000U);
  EXPECT_EQ(answer.different, 0U);
  EXPECT_FALSE(too_often(answer, {}));
  EXPECT_THAT(to_json(answer), HasSubstr("\"pairs\": 2000"));
}

TEST_F(SplitHalves, HalvesOfTwoKindsAreToldApart) {
  begin("s", {"m"});
  for (const double median : {0.001, 0.001, 0.0015, 0.0015}) {
    Job made = job({1}, median);
    made.record.point = 0;
    put(made);
  }
  Reader r = reader();
  const SplitAnswer answer = good(split_halves(r, {.side = side("s"), .rounds = 600}));
  EXPECT_NEAR(static_cast<double>(answer.different), 200, 60);
  EXPECT_EQ(answer.rounds_different, answer.different_together);
  EXPECT_TRUE(too_often(answer, {}));
}

// A half of three processes would be a single one, which has no verdict.
TEST_F(SplitHalves, APointNeedsFourProcesses) {
  begin("s", {"m"});
  put_point({1}, 0.001, nullptr, 3);
  Reader r = reader();
  const SplitQuestion question{.side = side("s")};
  SplitAnswer answer = good(split_halves(r, question));
  EXPECT_EQ(answer.points, 0U);
  EXPECT_EQ(answer.too_few, 1U);
  EXPECT_FALSE(too_often(answer, question.rules));
  EXPECT_THAT(text_of(answer, question), HasSubstr("1 of the points, with fewer than 4 processes"));
  put_point({2}, 0.001, nullptr, 4);
  Reader more = reader();
  EXPECT_EQ(good(split_halves(more, question)).points, 1U);
}

// Alpha is 1 %: 10 of 1,000 pairs are as many as chance may call different, 11 are more.
TEST(TooOften, IsMoreThanAlphaOfThePairsOrOfTheComparisons) {
  SplitAnswer answer;
  answer.pairs = 1000, answer.rounds = 100;
  answer.different = 10, answer.rounds_different = 1;
  EXPECT_FALSE(too_often(answer, {}));
  answer.different = 11;
  EXPECT_TRUE(too_often(answer, {}));
  answer.different = 10, answer.rounds_different = 2;
  EXPECT_TRUE(too_often(answer, {}));
  EXPECT_THAT(text_of(answer, {}), testing::Not(HasSubstr("more than chance"))) << "no point was split";
  answer.points = 1;
  EXPECT_THAT(text_of(answer, {}), HasSubstr("that is more than chance may do (1 %)"));
}

}  // namespace
}  // namespace kernsweep
