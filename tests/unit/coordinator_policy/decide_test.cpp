// Which points are measured further, and when a sweep ends.
#include <gmock/gmock.h>

#include "coordinator/policy/decide.hpp"

namespace kernsweep::coordinator {
namespace {

using testing::ElementsAre;

constexpr DecideState kFirst{.problems = 4, .asked = 10, .most = 20, .left_s = 100};

OpenContest contest(std::vector<std::uint64_t> points, std::size_t needed = 15, double process_s = 1) {
  return {std::move(points), needed, process_s};
}

TEST(Decide, NothingOpenEndsTheSweep) {
  Decision end = decide_next({}, kFirst);
  EXPECT_EQ(end.from, end.until);
  EXPECT_EQ(end.why, "all 4 problems are decided");
  EXPECT_EQ(decide_next({}, {.problems = 1, .asked = 10, .most = 20}).why, "the problem is decided");
  EXPECT_EQ(decide_next({}, {.asked = 10, .most = 20}).why, "") << "there is nothing to compare";
}

TEST(Decide, OnlyPointsOfOpenContestsAreAskedForUntilTheNextLook) {
  const std::vector<OpenContest> open = {contest({7, 3}), contest({3, 12})};
  const Decision next = decide_next(open, kFirst);
  EXPECT_EQ(next.from, 10U);
  EXPECT_EQ(next.until, 13U);
  EXPECT_THAT(next.points, ElementsAre(3, 7, 12));
  EXPECT_EQ(next.why, "2 of 4 problems are decided; processes 11 to 13 of 3 points follow");
}

TEST(Decide, LooksAreAtFixedNumbersOfProcesses) {
  const auto until = [](std::uint32_t asked, std::uint32_t most) {
    const std::vector<OpenContest> open = {contest({1, 2})};
    return decide_next(open, {.problems = 1, .asked = asked, .most = most, .left_s = 1e9}).until;
  };
  EXPECT_EQ(until(1, 20), 5U);
  EXPECT_EQ(until(3, 20), 5U);
  EXPECT_EQ(until(5, 20), 10U);
  EXPECT_EQ(until(10, 12), 12U);
  EXPECT_EQ(until(13, 20), 16U);
  EXPECT_EQ(until(16, 40), 20U);
  EXPECT_EQ(until(20, 40), 40U);
  EXPECT_EQ(until(20, 20), 20U);
}

TEST(Decide, AContestThatCannotBeDecidedEndsAtOnce) {
  const std::vector<OpenContest> open = {contest({1, 2}, 31), contest({3, 4}, 0), contest({5, 6}, 30)};
  const Decision next = decide_next(open, kFirst);
  EXPECT_THAT(next.points, ElementsAre(5, 6));
  EXPECT_EQ(
      next.why,
      "1 of 4 problems are decided; 2 would need more than 30 processes a point; processes 11 to 13 of "
      "2 points follow");
  // With a few processes nothing can be foreseen.
  EXPECT_EQ(decide_next(open, {.problems = 4, .asked = 3, .most = 20, .left_s = 100}).points.size(), 6U);
}

TEST(Decide, CheapContestsGoFirstWhereTimeIsShort) {
  const std::vector<OpenContest> open = {contest({1, 2}, 15, 20), contest({3, 4}, 15, 2)};
  const Decision next = decide_next(open, {.problems = 2, .asked = 10, .most = 20, .left_s = 7});
  EXPECT_THAT(next.points, ElementsAre(3, 4));
  const Decision end = decide_next(open, {.problems = 2, .asked = 10, .most = 20, .left_s = 5});
  EXPECT_EQ(end.until, 10U);
  EXPECT_EQ(end.why,
            "0 of 2 problems are decided; 2 would take more than what is left of "
            "measure.processes.budget");
}

TEST(Decide, NoPointGetsMoreThanTheMost) {
  const std::vector<OpenContest> open = {contest({1, 2})};
  const Decision end = decide_next(open, {.problems = 2, .asked = 20, .most = 20, .left_s = 1e9});
  EXPECT_EQ(end.until, end.from);
  EXPECT_EQ(end.why, "1 of 2 problems are decided; points have the most processes that they may (20)");
  EXPECT_EQ(
      decide_next(open, {.problems = 1, .asked = 10, .most = 20}).why,
      "the problem is not decided; it would take more than what is left of measure.processes.budget");
}

TEST(Decide, NothingFollowsOnceAPointHasTakenItsTime) {
  const std::vector<OpenContest> open = {contest({1, 2})};
  DecideState late = kFirst;
  late.out_of_time = true;
  const Decision end = decide_next(open, late);
  EXPECT_EQ(end.until, end.from);
  EXPECT_EQ(end.why, "3 of 4 problems are decided; a point has taken as long as it may (15 s)");
  EXPECT_EQ(decide_next({}, late).why, "all 4 problems are decided");
}

TEST(Decide, TheSameContestsGiveTheSameDecision) {
  const std::vector<OpenContest> open = {contest({9, 1}, 15, 3), contest({4, 2}, 15, 3)};
  const Decision once = decide_next(open, kFirst), again = decide_next(open, kFirst);
  EXPECT_EQ(once.points, again.points);
  EXPECT_EQ(once.why, again.why);
}

TEST(Decide, ClaimsGoFirst) {
  std::vector<OpenContest> open = {contest({1, 2}, 15, 1), contest({3, 4}, 15, 3)};
  open[1].is_claim = true;
  const Decision next =
      decide_next(open, {.problems = 4, .claims = 2, .asked = 10, .most = 20, .left_s = 10});
  EXPECT_THAT(next.points, ElementsAre(3, 4));
  EXPECT_EQ(next.why,
            "3 of 4 problems and 1 of 2 claims are decided; 1 would take more than what is left of "
            "measure.processes.budget; processes 11 to 13 of 2 points follow");
}

TEST(Decide, AClaimThatProcessesCannotDecideIsNamed) {
  const auto why = [](std::uint64_t problems, std::uint64_t claims, std::uint64_t stuck) {
    return decide_next(
               {}, {.problems = problems, .claims = claims, .stuck = stuck, .asked = 10, .most = 20})
        .why;
  };
  EXPECT_EQ(why(4, 2, 0), "all 4 problems and all 2 claims are decided");
  EXPECT_EQ(why(1, 1, 0), "the problem and the claim are decided");
  EXPECT_EQ(why(0, 3, 1), "2 of 3 claims are decided; further processes cannot decide 1 claim");
  EXPECT_EQ(why(0, 1, 0), "the claim is decided");
  EXPECT_EQ(why(0, 1, 1), "the claim is not decided, and further processes cannot decide it");
}

}  // namespace
}  // namespace kernsweep::coordinator
