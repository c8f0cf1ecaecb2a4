#include "cli/show/progress.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

using ::testing::EndsWith;
using ::testing::StartsWith;

Progress at(std::uint64_t done, std::uint64_t ok, double seconds) {
  Progress progress;
  progress.tally.done = done;
  progress.tally.ok = ok;
  progress.workers = 1;
  progress.seconds = seconds;
  return progress;
}

TEST(ProgressLine, TellsDoneTotalShareRateAndTimeLeft) {
  // 30 jobs in 10 s are 3 per second; 90 are left: 30 s, give or take 1 / sqrt(30) = 18 %.
  const std::string line = progress_line(at(30, 30, 10), 120);
  EXPECT_THAT(line, StartsWith("[30/120  25 %  3/s  25 s to 36 s left]"));
}

// 10,000 in 1,000 s are 10 per second; 100 are left: 10 s, give or take 1 %.
TEST(ProgressLine, ManyJobsEstimateTheRestExactly) {
  EXPECT_THAT(progress_line(at(10000, 10000, 1000), 10100),
              StartsWith("[10,000/10,100  99 %  10/s  10 s to 11 s left]"));
}

// 16 jobs ended and 4 tries more took 20 s: 1 s each, 0.8 jobs per second. 16 are left: 16 s less 22 %, and
// 16 s * 1.224 * 1.2.
TEST(ProgressLine, WhatIsLeftMayBeTriedAgainToo) {
  Progress progress = at(16, 16, 20);
  progress.tally.retried = 4;
  EXPECT_THAT(progress_line(progress, 32),
              StartsWith("[16/32  50 %  0.8/s  13 s to 24 s left  4 tried again]"));
}

// A carriage return, a line feed and an escape sequence in the value of an axis.
TEST(ProgressLine, IsOneLineThatTheTerminalOnlyShows) {
  Progress progress = at(30, 30, 10);
  progress.active = {"a=x\ny\r\x1b[2Jz"};
  EXPECT_THAT(progress_line(progress, 120), EndsWith("] a=x y  [2Jz"));
}

// 30 of the 40 s were spent waiting: still 3 per second.
TEST(ProgressLine, WaitingForQuietDoesNotSlowThePace) {
  Progress progress = at(30, 30, 40);
  progress.waited_s = 30;
  EXPECT_THAT(progress_line(progress, 120), StartsWith("[30/120  25 %  3/s  25 s to 36 s left]"));
  progress.waits = "waiting for quiet: clang uses 1.9 cores; 24 s left, --patience 0 does not wait";
  progress.active = {"variant=blas"};
  EXPECT_THAT(progress_line(progress, 120), EndsWith("left] " + progress.waits));
}

TEST(ProgressLine, BeforeTheFirstJobHasEndedItSaysTheEstimate) {
  EXPECT_EQ(progress_line(at(0, 0, 1), 280, "22.4 s to 2 min 04 s"),
            "[0/280  0 %  0/s  22.4 s to 2 min 04 s left]");
}

TEST(ProgressLine, CountsOnlyThisRunForTheRate) {
  // 100 of the 110 were done before: 10 jobs in 10 s.
  EXPECT_THAT(progress_line(at(110, 10, 10), 120), IsGolden());
}

// There are 4 points with 10 to 20 processes; two points of one contest have three more processes.
TEST(ProgressLine, ShowsWhatIsOpenAndHowManyJobsThereMayBe) {
  Progress progress = at(30, 30, 10);
  progress.may_ask = true;
  EXPECT_THAT(progress_line(progress, 40, "", 80), StartsWith("[30/40, at most 80  75 %  3/s  "));
  progress.further = 6;
  progress.open = 1;
  EXPECT_THAT(progress_line(progress, 40, "", 80), StartsWith("[30/46, at most 80  65 %  3/s  "));
  EXPECT_THAT(progress_line(progress, 40, "", 80), EndsWith(" left  1 open]"));
  progress.may_ask = false;
  EXPECT_THAT(progress_line(progress, 40, "", 80), StartsWith("[30/46  65 %  3/s  "));
}

TEST(ProgressLine, NeverShowsMoreThanAll) {
  EXPECT_THAT(progress_line(at(7, 7, 1), 5), StartsWith("[7/7  100 %"));
}

TEST(ProgressLine, AnUnknownTotalShowsNoShareAndNoTimeLeft) {
  const std::string line = progress_line(at(30, 30, 10), std::nullopt);
  EXPECT_THAT(line, StartsWith("[30 done  3/s]"));
  EXPECT_THAT(line, IsGolden());
}

TEST(ProgressLine, NamesTroubleOnlyWhenThereIsSome) {
  Progress progress = at(10, 8, 1);
  EXPECT_THAT(progress_line(progress, 20), IsGolden());
  progress.tally.failed = 2;
  progress.tally.parked = 1;
  progress.tally.retried = 3;
  const std::string line = progress_line(progress, 20);
  EXPECT_THAT(line, IsGolden());
}

TEST(ProgressLine, SaysThatItWaitsForAWorker) {
  Progress progress = at(0, 0, 1);
  progress.workers = 0;
  EXPECT_THAT(progress_line(progress, 20), IsGolden());
}

TEST(ProgressLine, ShowsOneRunningJobAndHowManyMore) {
  Progress progress = at(0, 0, 1);
  progress.active = {"variant=blas", "variant=naive", "variant=onednn"};
  const std::string line = progress_line(progress, 20);
  EXPECT_THAT(line, IsGolden());
}

// A worker's name for its host, or its reason for leaving, may hold anything.
TEST(ProgressPrinter, NotesHoldNothingThatATerminalObeys) {
  testing::internal::CaptureStderr();
  ProgressPrinter(ProgressPrinter::Style::plain, std::nullopt)
      .note("worker 1 joined: \x1b[2J\x7f\r, 1 core\nand a second line, \xc3\xa9");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "worker 1 joined:  [2J  , 1 core\nand a second line, \xc3\xa9\n");
}

TEST(ProgressPrinter, PlainLinesComeAsOftenAsAVariableSays) {
  const auto lines_of = [](const char* every) {
    if (every != nullptr) setenv("KERNSWEEP_PROGRESS_S", every, 1);
    ProgressPrinter printer(ProgressPrinter::Style::plain, 100);
    unsetenv("KERNSWEEP_PROGRESS_S");
    testing::internal::CaptureStderr();
    for (int second = 1; second <= 20; ++second)
      printer.progress(at(static_cast<std::uint64_t>(second), 1, second));
    const std::string printed = testing::internal::GetCapturedStderr();
    return std::count(printed.begin(), printed.end(), '\n');
  };
  EXPECT_EQ(lines_of(nullptr), 4);
  EXPECT_EQ(lines_of("0.5"), 20);
  for (const char* none : {"", "0", "-1", "often", "nan"}) EXPECT_EQ(lines_of(none), 4) << none;
}

}  // namespace
}  // namespace kernsweep
