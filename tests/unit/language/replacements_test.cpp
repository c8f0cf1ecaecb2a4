// -a, --set, --only, --sample, --quick.
#include <gmock/gmock.h>

#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

TEST(LeftOutRules, MakesOneRuleOfEachReasonThatRejectsTheirPointsAlone) {
  const std::string text = "axes: {v: ['a \"b\\', c], m: [1, 2], x: {values: [7], when: 'v == \"c\"'}}\n";
  LeftOutRules rules;
  rules.add("first", {{"v", Value("a \"b\\")}, {"m", Value(2)}});
  rules.add("second", {{"x", Value(7)}});
  rules.add("first", {{"v", Value("c")}, {"x", Value()}});
  Replacements with;
  with.left_out = rules.rules();
  ASSERT_EQ(with.left_out.size(), 2u);
  EXPECT_EQ(with.left_out[1].rule, "x != 7");
  EXPECT_EQ(with.left_out[1].why, "second");
  const auto e = expansion_of(text, with);
  EXPECT_THAT(points_of(e), ElementsAre("v=a \"b\\ m=1"));
}

const std::string kReplacedAxes =
    "axes: {threads: [1, 2], v: [a, b], x: {values: [7], when: 'v == \"b\"'}}\n";

Replacements axis(const std::string& text) {
  return Replacements{{text}, {}, "", "", false};
}
Replacements setting(const std::string& text) {
  return Replacements{{}, {text}, "", "", false};
}

TEST(Replacements, AnAxisTakesNewValues) {
  EXPECT_THAT(points_of(expansion_of("axes: {threads: [1, 2]}", axis("threads=[4,8]"))),
              ElementsAre("threads=4", "threads=8"));
  EXPECT_THAT(points_of(expansion_of("axes: {threads: [1, 2]}", axis("threads=4"))),
              ElementsAre("threads=4"));
  EXPECT_THAT(points_of(expansion_of("axes: {threads: [1, 2]}", axis("threads[pow2]=[0:6:3]"))),
              ElementsAre("threads=1", "threads=8", "threads=64"));
  EXPECT_THAT(points_of(expansion_of("axes: {threads: [1, 2]}", axis("threads[range]=[32:96:32]"))),
              ElementsAre("threads=32", "threads=64", "threads=96"));
  EXPECT_THAT(points_of(expansion_of("axes: {threads: [1, 2]}", axis("threads[mul]=[1:9:3]"))),
              ElementsAre("threads=1", "threads=3", "threads=9"));
  EXPECT_THAT(points_of(expansion_of("axes: {s: [{m: 1}]}", axis("s=[{m: 3, n: 4}]"))),
              ElementsAre("m=3 n=4"));
}

TEST(Replacements, AReplacedAxisKeepsItsCondition) {
  EXPECT_THAT(points_of(expansion_of(kReplacedAxes, axis("x=[8, 9]"))),
              ElementsAre("threads=1 v=a", "threads=1 v=b x=8", "threads=1 v=b x=9", "threads=2 v=a",
                          "threads=2 v=b x=8", "threads=2 v=b x=9"));
}

TEST(Replacements, AnAxisThatIsNotThereIsAddedOnlyWithAPlus) {
  EXPECT_EQ(error_of(kReplacedAxes, axis("thraeds=[1]")),
            "on the command line, -a 'thraeds=[1]': the sweep has no axis 'thraeds'; did you mean "
            "'threads'? (to add an "
            "axis, write '+thraeds=...')");
  EXPECT_THAT(points_of(expansion_of("axes: {a: [1]}", axis("+b=[2,3]"))),
              ElementsAre("a=1 b=2", "a=1 b=3"));
  EXPECT_EQ(error_of(kReplacedAxes, axis("+v=[1]")),
            "on the command line, -a '+v=[1]': the sweep has an axis 'v' already; leave out the +");
}

TEST(Replacements, BadArgumentsAreNamed) {
  EXPECT_EQ(
      error_of(kReplacedAxes, axis("threads")),
      "on the command line, -a 'threads': write NAME=[1,2,4], NAME[pow2]=[0:6] or NAME[range]=[32:128:32]");
  EXPECT_EQ(
      error_of(kReplacedAxes, axis("threads[pow]=[0:6]")),
      "on the command line, -a 'threads[pow]=[0:6]': [pow] is not a way to give an axis; did you mean "
      "'pow2'?");
  EXPECT_EQ(error_of(kReplacedAxes, axis("threads[pow2]=[0]")),
            "on the command line, -a 'threads[pow2]=[0]': [pow2] takes [from:to] or [from:to:step]");
  EXPECT_EQ(
      error_of(kReplacedAxes, axis("threads=[]")),
      "on the command line, -a 'threads=[]': axis 'threads' has no values; give one or remove the axis");
  EXPECT_EQ(error_of(kReplacedAxes, setting("measure.proceses=5")),
            "on the command line, --set 'measure.proceses=5': there is no setting 'measure.proceses'; did "
            "you mean "
            "'measure.processes'?");
  EXPECT_EQ(error_of(kReplacedAxes, setting("measure.processes=many")),
            "on the command line, --set 'measure.processes=many': measure.processes takes a whole number, "
            "or a mapping with min and max, not 'many'");
  EXPECT_EQ(error_of(kReplacedAxes, setting("axes.threads=5")),
            "on the command line, --set 'axes.threads=5': axes are replaced by -a 'NAME=[values]'");
  EXPECT_EQ(error_of(kReplacedAxes, setting("measure")),
            "on the command line, --set 'measure': write PATH=VALUE, such as "
            "measure.processes=5");
}

TEST(Replacements, ASettingReplacesTheFiles) {
  const auto e =
      expansion_of(kReplacedAxes + "measure: {processes: 2, samples: {min: 7}}\nverify: false",
                   Replacements{{},
                                {"measure.processes=5", "measure.cache=[hot,cold]", "verify.repeat=4",
                                 "hosts=each", "tags.owner=me", "verify.tolerance.f32=0.5"},
                                "",
                                "",
                                false});
  EXPECT_EQ(e.sweep().processes, 5u);
  EXPECT_EQ(e.sweep().caches.size(), 2u);
  EXPECT_EQ(e.rules(0).measure.samples.min, 7u);
  EXPECT_TRUE(e.rules(0).measure.verify.enabled);  // a setting of verify asks for verifying
  EXPECT_EQ(e.rules(0).measure.verify.repeat, 4u);
  EXPECT_EQ(e.rules(0).measure.verify.tolerance.at("f32"), 0.5);
  EXPECT_EQ(e.sweep().hosts, Hosts::each);
  EXPECT_EQ(e.sweep().tags.at("owner"), "me");
}

TEST(Replacements, ASettingIsTheWholeText) {
  EXPECT_EQ(
      error_of(kReplacedAxes, setting("tags.owner=me #1")),
      "on the command line, --set 'tags.owner=me #1': YAML does not read 'me #1' as this text; quote it: "
      "--set 'tags.owner=\"me #1\"'");
  EXPECT_EQ(expansion_of(kReplacedAxes, setting("tags.owner=\"me #1\"")).sweep().tags.at("owner"), "me #1");
}

TEST(Replacements, OnlyLeavesOutTheRest) {
  const auto e = expansion_of(kReplacedAxes, Replacements{{}, {}, "x == 7", "", false});
  EXPECT_THAT(points_of(e), ElementsAre("threads=1 v=b x=7", "threads=2 v=b x=7"));
  EXPECT_THAT(rejections_of(e),
              ElementsAre("--only x == 7: not asked for", "--only x == 7: not asked for"));
  EXPECT_EQ(error_of(kReplacedAxes, Replacements{{}, {}, "y == 7", "", false}).substr(0, 63),
            "on the command line, --only 'y == 7': in 'y == 7': no column he");
}

TEST(Replacements, ASampleIsAShareOfThePointsAndTheSameEveryTime) {
  const Replacements tenth{{}, {}, "", "10%", false};
  const std::string big = "axes: {a: {range: [1, 100000]}}\n";
  const auto first = points_of(expansion_of(big, tenth));
  // Binomial, n = 1e5, p = 0.1: deviation 95, so +-500 is more than five of them.
  EXPECT_NEAR(static_cast<double>(first.size()), 10'000, 500);
  EXPECT_EQ(first, points_of(expansion_of(big, tenth)));
  EXPECT_NE(first, points_of(expansion_of(big + "seed: 2", tenth)));
  EXPECT_EQ(points_of(expansion_of(big, Replacements{{}, {}, "", "100%", false})).size(), 100'000u);
  EXPECT_EQ(error_of(kReplacedAxes, Replacements{{}, {}, "", "10", false}),
            "on the command line, --sample '10': write a percentage such as 10%");
  EXPECT_EQ(error_of(kReplacedAxes, Replacements{{}, {}, "", "0%", false}),
            "on the command line, --sample '0%': this keeps no point; write a percentage above 0");
}

TEST(Replacements, AQuickLookIsShortAndMarked) {
  const auto e = expansion_of(
      kReplacedAxes +
          "measure: {samples: {min: 100, max: 5000, max_time: 60s}}\n"
          "overrides: [{when: threads == 1, set: {measure.samples.min: 3000, timeout.run: 5m}}]",
      Replacements{{}, {}, "", "", true});
  Point point;
  e.point_at(0, point);
  const Rules rules = e.rules(e.rules_of(point));
  EXPECT_EQ(e.sweep().processes, 1u);
  EXPECT_TRUE(e.sweep().quick);
  EXPECT_TRUE(rules.measure.quick);
  EXPECT_EQ(rules.measure.samples, (SampleRules{5, 200, 50ms, 1s}));
  EXPECT_EQ(rules.measure.warmup.min_time, 20ms);
  EXPECT_EQ(rules.timeout.run, 5min);  // overrides outside `measure` still hold
}

TEST(Replacements, AnExplicitSettingWinsOverQuick) {
  EXPECT_EQ(expansion_of(kReplacedAxes, Replacements{{}, {"measure.processes=4"}, "", "", true})
                .sweep()
                .processes,
            4u);
}

}  // namespace
}  // namespace kernsweep::sweep_test
