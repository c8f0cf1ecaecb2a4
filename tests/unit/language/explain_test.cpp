// What `check` and `expand` say.
#include "language/check/explain.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

const std::string kSweep =
    "axes: {m: [1, 2, 3, 4], v: [a, b], x: {values: [5, 6], when: 'v == \"b\"'}}\n"
    "exclude: [{m: 4}]\nconstraints: [{expr: m != 2, why: two is slow}]\nmeasure: {processes: 2, cache: "
    "[hot, cold]}\n";

TEST(Check, CountsExactlyWhatEachRuleRejects) {
  // (1 + 2) * 4 = 12 points; m=4 and m=2 take 3 each; 6 stay; 2 processes * 2 caches = 4 jobs each.
  const auto report = check_report(expansion_of(kSweep));
  EXPECT_TRUE(report.exact);
  EXPECT_EQ(report.raw_points, 12u);
  EXPECT_EQ(report.points, 6u);
  EXPECT_EQ(report.jobs, 24u);
  EXPECT_EQ(report.rejected, 6u);
  ASSERT_EQ(report.rules.size(), 2u);
  EXPECT_EQ(report.rules[0].rejected, 3u);
  EXPECT_EQ(report.rules[1].rejected, 3u);
  EXPECT_DOUBLE_EQ(report.rules[1].share, 0.25);
  EXPECT_EQ(report.rules[1].why, "two is slow");
  EXPECT_EQ(report.rules[0].place.line, 5);
  // 24 jobs * (100 ms + 500 ms); at most (max(3 * 100, 100 + 300) + 10 * 500 + 150 ms) * 1.1 = 6.105 s
  // each, and one start of 100 ms for each of the 2 processes: no axis is of the process.
  EXPECT_NEAR(report.seconds, 14.4, 1e-9);
  EXPECT_NEAR(report.seconds_most, 146.72, 1e-9);
  EXPECT_THAT(to_text(report), IsGolden());
  EXPECT_EQ(report.axes[2].when, "v == \"b\"");
}

TEST(Check, AnUnfilteredSpaceIsCountedWithoutWalkingIt) {
  const auto report =
      check_report(expansion_of("axes: {a: {range: [1, 1000000000]}, b: {range: [1, 1000000000]}}\n"));
  EXPECT_TRUE(report.exact);
  EXPECT_EQ(report.points, 1'000'000'000'000'000'000u);
}

TEST(Check, TheEstimateFollowsOverrides) {
  // One of two points has 1 s of warm-up instead of 100 ms: 10 * (0.6 + 1.5).
  const auto report = check_report(
      expansion_of("axes: {m: [1, 2]}\noverrides: [{when: m == 2, set: {measure.warmup.min_time: 1s}}]"));
  EXPECT_NEAR(report.seconds, 21, 1e-9);
}

// The maxima bind: (150 + 150 + 150 ms) * 1.1 for each of 20 jobs. 5 processes of 4 variants are 20 kinds
// of process, more than a worker keeps, so that each job starts its own.
TEST(Check, TheEstimateEndsAtTheMaximaAndCountsStarts) {
  const auto report = check_report(expansion_of(
      "axes: {variant: [a, b, c, d]}\nmeasure: {processes: 5, warmup: {min_time: 20ms, max_time: "
      "150ms}, samples: {min_time: 60ms, max_time: 150ms}}"));
  EXPECT_NEAR(report.seconds, 1.6, 1e-9);
  EXPECT_NEAR(report.seconds_most, 20 * 0.495 + 20 * 0.1, 1e-9);
}

TEST(Check, StopsAtItsLimitAndSaysSo) {
  CheckLimits limits;
  limits.points = 1000;
  const auto report =
      check_report(expansion_of("axes: {a: {range: [1, 5000]}}\nconstraints: [a % 2 == 0]"), limits);
  EXPECT_FALSE(report.exact);
  EXPECT_EQ(report.looked_at, 1000u);
  EXPECT_EQ(report.points, 500u);
  EXPECT_THAT(to_text(report), IsGolden());
}

TEST(Check, StopsWhenItsTimeIsUp) {
  CheckLimits limits;
  limits.time = 1s;
  Instant now;
  limits.now = [&] { return now = now + 600ms; };  // start, then a look before points 0, 4096
  const auto report =
      check_report(expansion_of("axes: {a: {range: [1, 50000]}}\nconstraints: [a > 0]"), limits);
  EXPECT_FALSE(report.exact);
  EXPECT_EQ(report.looked_at, 4096u);
}

TEST(Check, NotesWhatTheUserShouldKnow) {
  const auto report =
      check_report(expansion_of("axes: {a: {range: [1, 4], step: 2}}\nconstraints: [a > 0, a > 9]"));
  EXPECT_THAT(report.notes,
              testing::ElementsAre("s.yaml:4:19: the range of 'a' ends at 3 and misses 4",
                                   "this rule rejected nothing beyond the earlier ones: a > 0",
                                   "nothing is left to measure"));
}

TEST(Check, JsonHasTheCountsAsNumbers) {
  const auto json = nlohmann::json::parse(to_json(check_report(expansion_of(kSweep))));
  EXPECT_EQ(json.at("points"), 6);
  EXPECT_EQ(json.at("jobs"), 24);
  EXPECT_EQ(json.at("rejected"), 6);
  EXPECT_EQ(json.at("exact"), true);
  EXPECT_EQ(json.at("rules").at(1).at("rejected"), 3);
  EXPECT_EQ(json.at("axes").at(0).at("values"), 4);
}

TEST(Expand, ShowsPointsAndReasons) {
  const auto e = expansion_of(
      "axes: {m: [1, 2], t: ['\"']}\nmeasure: {processes: 2, order: interleave}\nconstraints: [{expr: m != "
      "2, why: two is slow}]");
  std::vector<std::string> text, json;
  expand(e, true, [&](const ExpandedPoint& point) {
    text.push_back(to_text(e, point));
    json.push_back(to_json(e, point));
    return true;
  });
  EXPECT_THAT(text,
              testing::ElementsAre("0  m=1 t=\"  jobs 0, 2", "1  m=2 t=\"  rejected: m != 2: two is slow"));
  EXPECT_EQ(json[0], "{\"point\":0,\"values\":{\"m\":1,\"t\":\"\\\"\"},\"jobs\":[0,2]}");
  EXPECT_EQ(nlohmann::json::parse(json[1]).at("rejected"), "two is slow");
}

TEST(Expand, StopsWhenItsReaderHasEnough) {
  int met = 0;
  expand(expansion_of("axes: {a: {range: [1, 1000000000]}}"), false,
         [&](const ExpandedPoint&) { return ++met < 3; });
  EXPECT_EQ(met, 3);
}

// A value, a rule and a claim with a line break: each keeps its line.
TEST(Check, ValuesWithLineBreaksStayOnTheirLines) {
  const auto expansion = expansion_of(
      "axes: {a: [\"x\\ny\", \"\\e[2Jz\"], b: [1, 2]}\n"
      "constraints: [{expr: 'b == 1 or a != \"x\\ny\"', why: \"two\\nlines\"}]\n"
      "claims: [{name: \"c\\nd\", faster: {a: \"x\\ny\"}, than: {a: \"\\e[2Jz\"}}]\n");
  EXPECT_THAT(to_text(check_report(expansion)), IsGolden());
  ExpandedPoint first{.position = 0};
  expansion.point_at(0, first.point);
  EXPECT_EQ(to_text(expansion, first).find('\n'), std::string::npos);
}

}  // namespace
}  // namespace kernsweep::sweep_test
