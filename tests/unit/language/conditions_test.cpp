// `when` and `zip`: which points exist, and in which order.
#include <gmock/gmock.h>

#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

TEST(Conditions, AnInactiveAxisIsAbsentAndMultipliesNothing) {
  // blas 1 x 2 threads, blocked 3 x 2 threads: 8 points, not 2 x 3 x 2 = 12.
  const auto e = expansion_of(
      "axes:\n  variant: [blas, blocked]\n  threads: [1, 2]\n"
      "  block: {values: [32, 64, 128], when: 'variant == \"blocked\"'}");
  EXPECT_EQ(e.raw_points(), 8u);
  EXPECT_TRUE(e.unfiltered());
  EXPECT_THAT(points_of(e),
              ElementsAre("variant=blas threads=1", "variant=blas threads=2",
                          "variant=blocked threads=1 block=32", "variant=blocked threads=2 block=32",
                          "variant=blocked threads=1 block=64", "variant=blocked threads=2 block=64",
                          "variant=blocked threads=1 block=128", "variant=blocked threads=2 block=128"));
}

TEST(Conditions, AConditionMayReadAnotherConditionalAxisWrittenLater) {
  const auto e = expansion_of(
      "axes:\n  core: {values: [null, skx], when: 'lib == \"blis\"'}\n"
      "  lib: {values: [openblas, blis], when: 'variant == \"blas\"'}\n  variant: [naive, blas]");
  EXPECT_THAT(points_of(e), ElementsAre("variant=naive", "lib=openblas variant=blas",
                                        "lib=blis variant=blas", "core=skx lib=blis variant=blas"));
}

TEST(Conditions, AConditionMayReadAColumnOfARecord) {
  const auto e = expansion_of("axes: {s: [{m: 1, n: 1}, {m: 2, n: 1}], b: {values: [7, 8], when: m == 2}}");
  EXPECT_THAT(points_of(e), ElementsAre("m=1 n=1", "m=2 n=1 b=7", "m=2 n=1 b=8"));
}

TEST(Conditions, TwoLeavesOfOneDeciderAreAProductWhereBothAreActive) {
  const auto e = expansion_of(
      "axes: {v: [0, 1], a: {values: [1, 2], when: v == 1}, b: {values: [5, 6, 7], when: v == 1}}");
  EXPECT_EQ(e.raw_points(), 1u + 2 * 3);
}

TEST(Conditions, AConditionThatNeverHoldsLeavesTheAxisOut) {
  const auto e = expansion_of("axes: {v: [0, 1], a: {values: [1, 2], when: v == 9}}");
  EXPECT_THAT(points_of(e), ElementsAre("v=0", "v=1"));
}

TEST(Conditions, CirclesAreNamed) {
  EXPECT_EQ(
      error_of("axes:\n  a: {values: [1], when: c == 1}\n  b: {values: [1], when: a == 1}\n"
               "  c: {values: [1], when: b == 1}"),
      "s.yaml:5:26: the `when` conditions of these axes depend on each other: a -> c -> b -> a; remove "
      "one");
  EXPECT_EQ(error_of("axes: {a: {values: [1], when: a == 1}}"),
            "s.yaml:4:31: the `when` conditions of these axes depend on each other: a -> a; remove one");
}

TEST(Conditions, AConditionReadsAxesOnly) {
  EXPECT_EQ(error_of("axes: {a: {values: [1], when: x == 1}, b: [1]}\nderive: {x: b + 1}"),
            "s.yaml:4:31: in 'x == 1': a condition reads axes only, and 'x' is none");
  EXPECT_EQ(error_of("axes: {a: {values: [1], when: bb == 1}, b: [1]}"),
            "s.yaml:4:31: in 'bb == 1': no column here is called 'bb'; did you mean 'b'?");
}

TEST(Conditions, AConditionThatFailsIsAnErrorBecauseThePointsCannotBeCounted) {
  EXPECT_THAT(error_of("axes: {v: [1, 0], a: {values: [1], when: 1 // v == 1}}"),
              testing::StartsWith("s.yaml:4:42: in '1 // v == 1': column 3: "));
}

TEST(Conditions, ZipMovesAxesInLockStep) {
  const auto e = expansion_of("axes: {a: [1, 2], t: [x, y], b: [3, 4]}\nzip: {g: [a, b]}");
  // The group is at the position of its first axis.
  EXPECT_THAT(points_of(e), ElementsAre("a=1 t=x b=3", "a=1 t=y b=3", "a=2 t=x b=4", "a=2 t=y b=4"));
}

TEST(Conditions, AZipGroupMayBeConditionalAsAWhole) {
  const auto e = expansion_of(
      "axes: {v: [0, 1], a: {values: [1, 2], when: v == 1}, b: {values: [3, 4], when: v == 1}}\nzip: {g: "
      "[a, b]}");
  EXPECT_THAT(points_of(e), ElementsAre("v=0", "v=1 a=1 b=3", "v=1 a=2 b=4"));
  EXPECT_EQ(error_of("axes: {v: [0, 1], a: {values: [1, 2], when: v == 1}, b: [3, 4]}\nzip: {g: [a, b]}"),
            "s.yaml:5:7: zip 'g': 'a' and 'b' need the same `when`, word for word");
}

TEST(Conditions, ZipErrorsSayWhatDoesNotFit) {
  EXPECT_EQ(error_of("axes: {a: [1, 2], b: [1, 2, 3]}\nzip: {g: [a, b]}"),
            "s.yaml:5:7: zip 'g': 'a' has 2 values and 'b' has 3; axes in lock step need equally many");
  EXPECT_EQ(error_of("axes: {a: [1], block: [1]}\nzip: {g: [a, blok]}"),
            "s.yaml:5:14: zip 'g': there is no axis 'blok'; did you mean 'block'?");
  EXPECT_EQ(error_of("axes: {a: [1], b: [1], c: [1]}\nzip: {g: [a, b], h: [b, c]}"),
            "s.yaml:5:22: zip 'h': axis 'b' is in a zip group already");
  EXPECT_EQ(error_of("axes: {a: [1]}\nzip: {g: [a]}"),
            "s.yaml:5:10: zip 'g' takes a list of at least two axes");
}

TEST(Conditions, RecordsAndGroupsAreNamedWhenAnExpressionReadsThem) {
  EXPECT_EQ(error_of("axes: {s: [{m: 1, n: 2}]}\nconstraints: [s == 1]"),
            "s.yaml:5:15: in 's == 1': 's' is a record axis; its columns are m, n");
  EXPECT_EQ(error_of("axes: {a: [1], b: [1]}\nzip: {g: [a, b]}\nderive: {x: g}"),
            "s.yaml:6:13: in 'g': 'g' is a zip group; its axes are a, b");
}

TEST(Conditions, TooManyCombinationsOfDecidingAxesAreRefusedWithTheirNumber) {
  // 2000 * 2000 = 4,000,000 combinations, above 2^20.
  EXPECT_EQ(
      error_of("axes:\n  a: {range: [1, 2000]}\n  b: {range: [1, 2000]}\n  c: {values: [1], when: a == b}"),
      "s.yaml:5:3: the axes that conditions read (a, b) have 4000000 combinations, at most 1048576 are "
      "possible; let "
      "`when` read axes with fewer values");
}

}  // namespace
}  // namespace kernsweep::sweep_test
