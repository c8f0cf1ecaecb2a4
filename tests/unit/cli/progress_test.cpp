#include "cli/show/progress.hpp"

#include <gmock/gmock.h>

namespace kernsweep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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
  // 30 jobs in 10 s are 3 per second; 90 are left: 30 s.
  const std::string line = progress_line(at(30, 30, 10), 120);
  EXPECT_THAT(line, StartsWith("[30/120  25 %  3/s  30 s left]"));
}

TEST(ProgressLine, CountsOnlyThisRunForTheRate) {
  // 100 of the 110 were done before: 10 jobs in 10 s.
  EXPECT_THAT(progress_line(at(110, 10, 10), 120), HasSubstr("  1/s  10 s left"));
}

TEST(ProgressLine, NeverShowsMoreThanAll) {
  EXPECT_THAT(progress_line(at(7, 7, 1), 5), StartsWith("[7/7  100 %"));
}

TEST(ProgressLine, AnUnknownTotalShowsNoShareAndNoTimeLeft) {
  const std::string line = progress_line(at(30, 30, 10), std::nullopt);
  EXPECT_THAT(line, StartsWith("[30 done  3/s]"));
  EXPECT_THAT(line, Not(HasSubstr("left")));
}

TEST(ProgressLine, NamesTroubleOnlyWhenThereIsSome) {
  Progress progress = at(10, 8, 1);
  EXPECT_THAT(progress_line(progress, 20), Not(HasSubstr("failed")));
  progress.tally.failed = 2;
  progress.tally.parked = 1;
  progress.tally.retried = 3;
  const std::string line = progress_line(progress, 20);
  EXPECT_THAT(line, HasSubstr("2 failed"));
  EXPECT_THAT(line, HasSubstr("1 wait for a host"));
  EXPECT_THAT(line, HasSubstr("3 tried again"));
}

TEST(ProgressLine, SaysThatItWaitsForAWorker) {
  Progress progress = at(0, 0, 1);
  progress.workers = 0;
  EXPECT_THAT(progress_line(progress, 20), HasSubstr("waiting for a worker"));
}

TEST(ProgressLine, ShowsOneRunningJobAndHowManyMore) {
  Progress progress = at(0, 0, 1);
  progress.active = {"variant=blas", "variant=naive", "variant=onednn"};
  const std::string line = progress_line(progress, 20);
  EXPECT_THAT(line, HasSubstr("] variant=blas and 2 more"));
}

// A worker's name for its host, or its reason for leaving, may hold anything.
TEST(ProgressPrinter, NotesHoldNothingThatATerminalObeys) {
  testing::internal::CaptureStderr();
  ProgressPrinter(ProgressPrinter::Style::plain, std::nullopt)
      .note("worker 1 joined: \x1b[2J\x7f\r, 1 core\nand a second line, \xc3\xa9");
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "worker 1 joined:  [2J  , 1 core\nand a second line, \xc3\xa9\n");
}

}  // namespace
}  // namespace kernsweep
