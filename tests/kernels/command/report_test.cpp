// Parses the output of a command, in pieces of any size.
#include "kernels/command/report.hpp"
#include "tests/golden_text/golden_text.hpp"

#include <gmock/gmock.h>

namespace kernsweep::command {
namespace {

Report report_of(std::string_view text, std::size_t piece = SIZE_MAX) {
  Report report;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) report.add(text.substr(0, piece));
  report.finish();
  return report;
}

TEST(Report, OutputIsWhatWasPrinted) {
  for (const char* text :
       {"", "a", "a\n", "\n\n", "a\r\nb", "kern", "  kern", "\x1b[32m", "kernsweep", "a\rb\r\r\n",
        "xkernsweep: seconds=1\n", "kernsweeper: 3\n", "Kernsweep: seconds=1"}) {
    const Report report = report_of(text);
    EXPECT_EQ(report.output(), text);
    EXPECT_EQ(report.error, "");
    EXPECT_FALSE(report.seconds) << text;
  }
}

TEST(Report, LinesForKernsweepAreTakenOut) {
  const Report report =
      report_of("one\nkernsweep: seconds=0.25 flops=2e9\ntwo\nkernsweep:bytes=7\r\nthree");
  EXPECT_EQ(report.output(), "one\ntwo\nthree");
  EXPECT_EQ(report.seconds, 0.25);
  EXPECT_EQ(report.flops, 2e9);
  EXPECT_EQ(report.bytes, 7);
  EXPECT_EQ(report.error, "");
}

TEST(Report, BlanksColoursAndWhatIsOverwrittenMayBeBeforeTheMark) {
  for (const char* before :
       {"  ", "\t", "\x1b[32m", "\x1b[0m \x1b[1;31m", "99 %\r", "98 %\r99 %\r\x1b[K"}) {
    const Report report = report_of(std::string("one\n") + before + "kernsweep: seconds=0.5\ntwo");
    EXPECT_EQ(report.seconds, 0.5) << before;
    EXPECT_EQ(report.error, "") << before;
  }
}

TEST(Report, TheLastLineMayLackItsNewline) {
  EXPECT_EQ(report_of("a\nkernsweep: seconds=1e-3").seconds, 1e-3);
}

TEST(Report, PiecesOfAnySizeAreTheSame) {
  const std::string text = "kern\nkernsweep: seconds=0.125\nkernsweep bytes\nkernsweep: bytes=3\nend";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    const Report report = report_of(text, piece);
    EXPECT_EQ(report.output(), "kern\nkernsweep bytes\nend") << piece;
    EXPECT_EQ(report.seconds, 0.125) << piece;
    EXPECT_EQ(report.bytes, 3) << piece;
  }
}

TEST(Report, MetricsAreNamedAndMayBeDeclared) {
  const Report report = report_of(
      "kernsweep: metric.score=-3.5 better.score=larger\nkernsweep: metric.elements_per_second=2e9\n"
      "kernsweep: unit.score=points\n");
  EXPECT_EQ(report.error, "");
  ASSERT_EQ(report.metrics.size(), 2U);
  EXPECT_EQ(report.metrics[0].name, "score");
  EXPECT_EQ(report.metrics[0].value, -3.5);
  EXPECT_EQ(report.metrics[0].better, KS_LARGER_IS_BETTER);
  EXPECT_EQ(report.metrics[0].unit, "points");
  EXPECT_EQ(report.metrics[1].value, 2e9);
  EXPECT_EQ(report.metrics[1].better, KS_BETTER_BY_NAME);
}

TEST(Report, AMetricThatIsNoneIsAnError) {
  for (const char* words :
       {"metric.=1", "metric.Score=1", "metric.score", "metric.score=", "metric.score=inf",
        "metric.score=nan", "metric.score=1 metric.score=2", "better.score=larger", "unit.score=points",
        "metric.score=1 better.score=more", "metric.score=1 unit.score=a_unit_without_an_end",
        "metric.a_name_that_has_more_than_31_characters=1"})
    EXPECT_NE(report_of(std::string("kernsweep: ") + words + "\n").error, "") << words;
  std::string many;
  for (std::size_t i = 0; i <= Report::kMetricsMax; ++i)
    many += "kernsweep: metric.m" + std::to_string(i) + "=1\n";
  EXPECT_NE(report_of(many).error, "");
}

TEST(Report, WhatIsNotUnderstoodIsQuoted) {
  for (const char* line :
       {"kernsweep:", "kernsweep: ", "kernsweep: seconds", "kernsweep: seconds=", "kernsweep: seconds=abc",
        "kernsweep: seconds=-1", "kernsweep: seconds=nan", "kernsweep: seconds=inf",
        "kernsweep: seconds=1s", "kernsweep: seconds=1,5", "kernsweep: time=1",
        "kernsweep: seconds=1 seconds=2", "kernsweep: seconds=1e999", "kernsweep: seconds=1 and more",
        "kernsweep: seconds = 1"}) {
    EXPECT_THAT(report_of(std::string("a\n") + line + "\nb\n").error, IsGolden()) << line;
  }
  EXPECT_NE(report_of("kernsweep: seconds=1\nkernsweep: seconds=1\n").error, "") << "twice in a run";
}

TEST(Report, TheFirstWrongLineIsTheOneThatIsTold) {
  EXPECT_THAT(report_of("kernsweep: a=1\nkernsweep: b=2\n").error, IsGolden());
}

TEST(Report, OfMuchOutputTheEndIsKept) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  ASSERT_GT(text.size(), 4 * Report::kKeptBytes);
  for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 16, SIZE_MAX}) {
    EXPECT_EQ(report_of(text, piece).output(), text.substr(text.size() - Report::kKeptBytes)) << piece;
  }
}

TEST(Report, ALineForKernsweepWithoutAnEndCostsNoMemory) {
  const Report report = report_of("kernsweep: seconds=1" + std::string(1 << 20, '1'), 4096);
  EXPECT_NE(report.error, "");
  EXPECT_LT(report.error.size(), 500u);
}

TEST(Report, ClearForgetsEverything) {
  Report report = report_of("a\nkernsweep: seconds=1 x=2\nkern");
  report.clear();
  report.add("sweep: seconds=3");
  report.finish();
  EXPECT_EQ(report.output(), "sweep: seconds=3");
  EXPECT_EQ(report.error, "");
  EXPECT_FALSE(report.seconds);
}

}  // namespace
}  // namespace kernsweep::command
