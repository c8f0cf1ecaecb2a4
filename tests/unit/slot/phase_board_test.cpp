#include "worker/slot/phase_board.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>

namespace kernsweep {
namespace {

using namespace std::chrono_literals;

// The slot's end, as it inherits it: another descriptor of the same memory.
PhaseBoard other_end(const PhaseBoard& board) {
  auto opened = PhaseBoard::open(dup(board.descriptor()));
  KS_ASSERT(opened.has_value());
  return std::move(*opened);
}

TEST(PhaseBoard, ShowsWhatTheOtherEndHasWritten) {
  auto worker = PhaseBoard::make();
  ASSERT_TRUE(worker);
  PhaseBoard slot = other_end(*worker);
  EXPECT_EQ(worker->read().jobs_begun, 0U);
  slot.begin_job(Instant{7ms});
  EXPECT_EQ(worker->read().jobs_begun, 1U);
  EXPECT_FALSE(worker->read().measuring);
  EXPECT_EQ(worker->read().since, Instant{7ms});
  slot.begin_measuring(Instant{9ms});
  EXPECT_EQ(worker->read().jobs_begun, 1U);
  EXPECT_TRUE(worker->read().measuring);
  EXPECT_EQ(worker->read().since, Instant{9ms});
  slot.begin_job(Instant{11ms});
  EXPECT_EQ(worker->read().jobs_begun, 2U);
  EXPECT_FALSE(worker->read().measuring);
}

// Job i begins at i milliseconds: a reader that mixed two steps would see them differ.
TEST(PhaseBoard, NeverShowsHalfAStep) {
  auto worker = PhaseBoard::make();
  ASSERT_TRUE(worker);
  constexpr int kJobs = 60000;
  std::thread writer([slot = other_end(*worker)]() mutable {
    for (int job = 1; job <= kJobs; ++job) slot.begin_job(Instant{job * 1ms});
  });
  int last = 0;
  while (last < kJobs) {
    const SlotPhase seen = worker->read();
    ASSERT_EQ(seen.since, Instant{seen.jobs_begun * 1ms});
    ASSERT_GE(seen.jobs_begun, last);
    last = seen.jobs_begun;
  }
  writer.join();
}

TEST(PhaseBoard, CountsModulo65536AndNeverIntoTheOtherFields) {
  auto worker = PhaseBoard::make();
  ASSERT_TRUE(worker);
  for (int job = 1; job <= 65536 + 3; ++job) worker->begin_job(Instant{5ms});
  EXPECT_EQ(worker->read().jobs_begun, 3U);
  EXPECT_FALSE(worker->read().measuring);
  EXPECT_EQ(worker->read().since, Instant{5ms});
}

TEST(PhaseBoard, RefusesADescriptorThatIsNone) {
  EXPECT_FALSE(PhaseBoard::open(open("/dev/null", O_RDWR | O_CLOEXEC)));
  EXPECT_FALSE(PhaseBoard::open(-1));
}

}  // namespace
}  // namespace kernsweep
