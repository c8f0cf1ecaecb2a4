// derive, exclude, constraints, include, requires.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

TEST(Derive, ColumnsAreComputedWhateverTheirOrderInTheFile) {
  const auto e = expansion_of("axes: {m: [2, 3]}\nderive: {y: x * 10, x: m + 1}");
  EXPECT_THAT(points_of(e), ElementsAre("m=2 y=30 x=3", "m=3 y=40 x=4"));
  EXPECT_TRUE(e.unfiltered());
  EXPECT_EQ(e.sweep().columns.back().origin, Column::Origin::derived);
}

TEST(Derive, AColumnThatNeedsAnAbsentAxisIsAbsentItself) {
  const auto e = expansion_of("axes: {v: [0, 1], b: {values: [4], when: v == 1}}\nderive: {x: b * b}");
  EXPECT_THAT(points_of(e), ElementsAre("v=0", "v=1 b=4 x=16"));
  EXPECT_TRUE(e.unfiltered());
}

TEST(Derive, AFailureOnSomePointsRejectsThem) {
  const auto e = expansion_of("axes: {m: [4, 0]}\nderive: {x: 8 // m}");
  EXPECT_THAT(points_of(e), ElementsAre("m=4 x=2"));
  EXPECT_FALSE(e.unfiltered());
  EXPECT_THAT(rejections_of(e), ElementsAre(StartsWith("derive x: 8 // m: in '8 // m': column 3: ")));
}

TEST(Derive, AFailureOnEveryPointIsAnError) {
  EXPECT_THAT(error_of("axes: {m: [1, 2]}\nderive: {x: m // 0}"), IsGolden());
  EXPECT_THAT(error_of("axes: {m: [3, 4]}\nderive: {x: m * 2**62 * 4}"), IsGolden());
}

TEST(Derive, CirclesAreNamed) {
  EXPECT_EQ(error_of("axes: {m: [1]}\nderive: {z: m, x: y + 1, y: x + 1}"),
            "s.yaml:5:19: derived columns that need each other: x, y; none can be computed first");
}

TEST(Derive, NamesMayNotClash) {
  EXPECT_EQ(error_of("axes: {m: [1]}\nderive: {m: 2}"),
            "s.yaml:5:13: there are two columns called 'm'; rename one");
  EXPECT_EQ(error_of("axes: {m: [1], M: [2]}"),
            "s.yaml:4:16: the columns 'm' and 'M' differ only in case, which the results database cannot "
            "distinguish; rename one");
}

TEST(Exclude, MatchesEveryPointThatAgreesWithIt) {
  const auto e = expansion_of("axes: {v: [a, b], m: [1, 2]}\nexclude: [{v: a, m: 2}]");
  EXPECT_THAT(points_of(e), ElementsAre("v=a m=1", "v=b m=1", "v=b m=2"));
  EXPECT_THAT(rejections_of(e), ElementsAre("exclude {v: a, m: 2}: excluded"));
}

TEST(Exclude, AnInactiveAxisMatchesNothingNotEvenNull) {
  // The axis core is null at v=a because it is inactive, and at v=b because null is one of its values.
  const auto e = expansion_of(
      "axes: {v: [a, b], core: {values: [null, skx], when: 'v == \"b\"'}}\nexclude: [{core: null}]");
  EXPECT_THAT(points_of(e), ElementsAre("v=a", "v=b core=skx"));
}

TEST(Exclude, ReadsItsValuesInTheKindOfTheAxis) {
  // A float axis: 1 means 1.0. A text axis: 1 means "1".
  EXPECT_THAT(points_of(expansion_of("axes: {f: [1, 2.5]}\nexclude: [{f: 1}]")), ElementsAre("f=2.5"));
  EXPECT_THAT(points_of(expansion_of("axes: {t: [1, auto]}\nexclude: [{t: 1}]")), ElementsAre("t=auto"));
  EXPECT_EQ(error_of("axes: {m: [1, 2]}\nexclude: [{m: two}]"),
            "s.yaml:5:15: exclude: 'two' can never be a value of 'm', which holds integers");
}

TEST(Exclude, MayNameADerivedColumn) {
  EXPECT_THAT(points_of(expansion_of("axes: {m: [1, 2]}\nderive: {h: m / 2}\nexclude: [{h: 1}]")),
              ElementsAre("m=1 h=0.5"));
}

TEST(Exclude, UnknownColumnsAreErrors) {
  EXPECT_EQ(error_of("axes: {variant: [a]}\nexclude: [{varient: a}]"),
            "s.yaml:5:12: exclude: no column is called 'varient'; did you mean 'variant'?");
}

TEST(Constraints, ARejectedPointKeepsItsReason) {
  const auto e =
      expansion_of("axes: {m: [1, 2, 3, 4]}\nconstraints:\n- m != 2\n- {expr: m < 4, why: four is slow}");
  EXPECT_THAT(points_of(e), ElementsAre("m=1", "m=3"));
  EXPECT_THAT(rejections_of(e), ElementsAre("m != 2: m != 2", "m < 4: four is slow"));
}

TEST(Constraints, SayNothingWhereAnAxisThatTheyReadIsAbsent) {
  const auto e =
      expansion_of("axes: {v: [0, 1], b: {values: [32, 64], when: v == 1}}\nconstraints: [b * 2 <= 64]");
  EXPECT_THAT(points_of(e), ElementsAre("v=0", "v=1 b=32"));
}

TEST(Constraints, AFailureIsTheReason) {
  const auto e = expansion_of("axes: {m: [1, 0]}\nconstraints: [8 % m == 0]");
  EXPECT_THAT(points_of(e), ElementsAre("m=1"));
  EXPECT_THAT(rejections_of(e), ElementsAre(StartsWith("8 % m == 0: in '8 % m == 0': column 3: ")));
}

TEST(Constraints, OverflowOnEveryPointIsAnError) {
  EXPECT_THAT(error_of("axes: {m: [1, 2]}\nconstraints: [m + 9223372036854775807 > 0]"), IsGolden());
}

TEST(Constraints, FactsOfHostsBelongToRequires) {
  EXPECT_EQ(
      error_of("axes: {m: [1]}\nconstraints: [m <= host.cores]"),
      "s.yaml:5:15: in 'm <= host.cores': 'host.cores' is known only on a host; move this to `requires`");
}

TEST(Order, ExcludeComesBeforeConstraintsAndIncludeAfterBoth) {
  // m=2 is excluded and would break the constraint: the exclude is what rejects it. m=9 is added, although
  // an exclude names it, and m=12 is added and then breaks the constraint.
  const auto e = expansion_of(
      "axes: {m: [1, 2]}\nexclude: [{m: 2}, {m: 9}]\nconstraints: [m != 2 and m < 10]\n"
      "include: [{m: 9}, {m: 12}]");
  EXPECT_THAT(points_of(e), ElementsAre("m=1", "m=9"));
  EXPECT_THAT(rejections_of(e),
              ElementsAre("exclude {m: 2}: excluded", "m != 2 and m < 10: m != 2 and m < 10"));
}

TEST(Include, AddsWholePointsBehindTheOthers) {
  const auto e = expansion_of("axes: {v: [a], m: [1, 2]}\nderive: {x: m * 2}\ninclude: [{v: a, m: 7}]");
  EXPECT_THAT(points_of(e), ElementsAre("v=a m=1 x=2", "v=a m=2 x=4", "v=a m=7 x=14"));
  EXPECT_EQ(e.included_points(), 1u);
}

TEST(Include, APointThatLacksAnActiveAxisIsAnError) {
  EXPECT_EQ(error_of("axes: {v: [a], threads: [1]}\ninclude: [{v: a}]"),
            "s.yaml:5:11: include: the point lacks the axis 'threads'; a point that is added is complete");
}

TEST(Include, AnAxisThatMayBeNotSetMayBeLeftOut) {
  const auto e = expansion_of("axes: {v: [a], env.X: [null, y]}\ninclude: [{v: b}]");
  EXPECT_THAT(points_of(e), ElementsAre("v=a", "v=a env.X=y", "v=b"));
}

TEST(Include, InactiveAxesAreLeftOut) {
  const std::string axes = "axes: {v: [a, b], x: {values: [1], when: 'v == \"b\"'}, t: [1]}\n";
  EXPECT_THAT(points_of(expansion_of(axes + "include: [{v: a, t: 2}]")), testing::Contains("v=a t=2"));
  EXPECT_EQ(error_of(axes + "include: [{v: a, x: 1, t: 2}]"),
            "s.yaml:5:21: include: 'x' is not active at this point, because 'v == \"b\"' does not hold; "
            "leave it out");
}

TEST(Include, ALabelPicksItsRecord) {
  const std::string axes = "axes: {s: [{label: a, m: 1, n: 2}, {label: b, m: 3, n: 2}], t: [1]}\n";
  EXPECT_THAT(points_of(expansion_of(axes + "include: [{label: b, t: 9}]")),
              ElementsAre("label=a m=1 n=2 t=1", "label=b m=3 n=2 t=1", "label=b m=3 n=2 t=9"));
  EXPECT_THAT(points_of(expansion_of(axes + "include: [{m: 5, n: 5, t: 1}]")),
              testing::Contains("m=5 n=5 t=1"));
  EXPECT_EQ(error_of(axes + "include: [{n: 2, t: 9}]"),
            "s.yaml:5:11: include: several rows of 's' fit; give more of its columns to pick one");
  EXPECT_EQ(error_of(axes + "include: [{label: c, t: 9}]"),
            "s.yaml:5:11: include: no row of 's' fits, and a new one lacks m, n");
}

TEST(Include, MayBringAColumnOfItsOwn) {
  const auto e = expansion_of("axes: {m: [1]}\ninclude: [{m: 1, extra: 5}]");
  EXPECT_THAT(points_of(e), ElementsAre("m=1", "m=1 extra=5"));
  EXPECT_EQ(e.sweep().columns.back().origin, Column::Origin::included);
}

TEST(Include, APointThatIsThereAlreadyIsAnErrorThatNamesBoth) {
  EXPECT_EQ(
      error_of("axes: {m: [1, 2]}\ninclude: [{m: 2}]"),
      "s.yaml:5:11: include: the axes make this point already (a job key met twice); remove the entry");
  EXPECT_EQ(error_of("axes: {m: [1, 2]}\ninclude: [{m: 3}, {m: 3}]"),
            "s.yaml:5:19: include: the same point as at s.yaml:5:11 (a job key met twice); remove one");
  EXPECT_EQ(error_of("axes: {m: {range: [0, 100], step: 5}}\ninclude: [{m: 7}]"), "");
  EXPECT_THAT(error_of("axes: {m: {range: [0, 100], step: 5}}\ninclude: [{m: 35}]"), IsGolden());
}

TEST(Include, MayBringBackWhatAnExcludeTookOut) {
  const auto e = expansion_of("axes: {m: [1, 2]}\nexclude: [{m: 2}]\ninclude: [{m: 2}]");
  EXPECT_THAT(points_of(e), ElementsAre("m=1", "m=2"));
}

TEST(Requires, AsksTheHostAndSaysWhatIsMissing) {
  const auto e = expansion_of("axes: {threads: [8]}\nrequires: [threads <= host.cores, gpu.count > 0]");
  Point point;
  e.point_at(0, point);
  const auto facts = [](std::int64_t cores) {
    return [cores](std::string_view name) {
      return name == "host.cores" ? Value(cores) : name == "gpu.count" ? Value(1) : Value();
    };
  };
  EXPECT_EQ(e.unmet_requirement(point, facts(8)), std::nullopt);
  EXPECT_EQ(e.unmet_requirement(point, facts(4)), "threads <= host.cores: threads is 8, host.cores is 4");
  const auto unknown = e.unmet_requirement(point, [](std::string_view) { return Value(); });
  ASSERT_TRUE(unknown);
  EXPECT_THAT(*unknown, StartsWith("threads <= host.cores: threads is 8, host.cores is not known ("));
  EXPECT_TRUE(e.unfiltered());  // decided per host, not here
}

TEST(Requires, AsksOfGpusOnlyWhatHostsTell) {
  EXPECT_EQ(error_of("axes: {m: [1]}\nrequires: [gpu.memory >= 10]"),
            "s.yaml:5:12: in 'gpu.memory >= 10': no host reports 'gpu.memory'; known: gpu.count, "
            "gpu.memory_bytes, gpu.compute_capability, gpu.multiprocessors, gpu.l2_bytes, gpu.name, "
            "gpu.driver, gpu.cuda");
}

TEST(Requires, IsNeverMixedWithConstraints) {
  EXPECT_THAT(error_of("axes: {m: [1]}\nrequires: [m > 0]"), IsGolden());
  EXPECT_EQ(error_of("axes: {threads: [1]}\nrequires: [thread <= host.cores]"),
            "s.yaml:5:12: in 'thread <= host.cores': 'thread' is neither a column nor a fact of host. or "
            "gpu.; did you mean "
            "'threads'?");
}

}  // namespace
}  // namespace kernsweep::sweep_test
