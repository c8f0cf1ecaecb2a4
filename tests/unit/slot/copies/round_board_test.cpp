#include "worker/slot/copies/round_board.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "worker/slot/copies/companions.hpp"
#include "worker/slot/copies/copy_rounds.hpp"

namespace kernsweep {
namespace {

// The other copies are threads here; tests/process/kernels/copies_test.py has processes.
RoundBoard board_of(const RoundBoard& first, std::uint32_t copy, std::uint32_t copies) {
  auto opened = RoundBoard::open(fcntl(first.descriptor(), F_DUPFD_CLOEXEC, 0), copy, copies);
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message);
  return std::move(*opened);
}

void wait_for(const RoundBoard& board) {
  while (!board.is_over()) {
  }
}

TEST(RoundBoard, ARoundIsOverWhenAllCopiesAreReady) {
  auto first = RoundBoard::make(3);
  ASSERT_TRUE(first);
  std::atomic<int> calls = 0;
  std::vector<std::thread> others;
  for (std::uint32_t copy = 1; copy < 3; ++copy)
    others.emplace_back([&, copy] {
      RoundBoard own = board_of(*first, copy, 3);
      for (Round round = own.next(); round.task != RoundTask::end; round = own.next()) {
        calls += static_cast<int>(round.count);
        own.done(true, copy * 0.5);
      }
    });
  for (int round = 1; round <= 50; ++round) {
    first->begin({RoundTask::run, 2});
    wait_for(*first);
    EXPECT_EQ(calls, round * 4);
  }
  EXPECT_EQ(first->longest_s(), 1.0);
  EXPECT_FALSE(first->failed());
  first->begin({RoundTask::end, 0});
  for (std::thread& other : others) other.join();
}

TEST(RoundBoard, AFailureIsSeenUntilTheNextJob) {
  auto first = RoundBoard::make(2);
  ASSERT_TRUE(first);
  RoundBoard other = board_of(*first, 1, 2);
  for (int job = 0; job < 3; ++job) {
    first->reset();
    other.reset();
    EXPECT_FALSE(first->failed());
    first->begin({RoundTask::evict, 0});
    EXPECT_FALSE(first->is_over());
    EXPECT_EQ(other.next().task, RoundTask::evict);
    other.done(job != 1);
    EXPECT_TRUE(first->is_over());
    EXPECT_EQ(first->failed(), job == 1);
  }
}

TEST(RoundBoard, SaysWhatTheOthersUsed) {
  auto first = RoundBoard::make(2);
  ASSERT_TRUE(first);
  RoundBoard other = board_of(*first, 1, 2);
  first->begin({RoundTask::run, 1});
  other.next();
  other.done(true);
  EXPECT_GT(first->use().minor_faults, 0U) << "of this very process, which plays the other copy";
}

TEST(RoundBoard, AcceptsNoOtherDescriptorAndNoOtherNumber) {
  EXPECT_FALSE(RoundBoard::make(0));
  EXPECT_FALSE(RoundBoard::make(1025));
  EXPECT_FALSE(RoundBoard::open(open("/dev/null", O_RDWR | O_CLOEXEC), 1, 2));
  const auto first = RoundBoard::make(2);
  ASSERT_TRUE(first);
  for (const std::uint32_t copy : {0U, 2U})
    EXPECT_FALSE(RoundBoard::open(fcntl(first->descriptor(), F_DUPFD_CLOEXEC, 0), copy, 2));
}

TEST(Copies, GetCoresOfTheirOwn) {
  const auto shares = cores_of_copies({1, 4, 5, 8, 9}, 2, 2);
  ASSERT_TRUE(shares);
  EXPECT_THAT(*shares, testing::ElementsAre(testing::ElementsAre(1, 4), testing::ElementsAre(5, 8)));
  const auto too_few = cores_of_copies({0, 1}, 3, 1);
  ASSERT_FALSE(too_few);
  EXPECT_EQ(too_few.error().message,
            "3 copies of 1 thread each take 3 cores, and this process may run on 2");
}

TEST(CallTimes, KeepsTheLastOnes) {
  CallTimes times;
  EXPECT_THAT(times.last(3), testing::IsEmpty());
  for (int round = 1; round <= 5; ++round) times.add(round);
  EXPECT_THAT(times.last(3), testing::ElementsAre(3, 4, 5));
  EXPECT_EQ(times.last(100).size(), 5U);
  for (std::size_t round = 0; round < CallTimes::kMost; ++round) times.add(9);
  EXPECT_EQ(times.last(2 * CallTimes::kMost), std::vector<double>(CallTimes::kMost, 9));
}

TEST(OwnCalls, UsesTheStatesInTurnAndEndsAtTheFirstFailure) {
  ks_variant variant{};
  variant.run = [](void* state) { return ++*static_cast<int*>(state) == 3 ? KS_FAILED : KS_OK; };
  int calls[2] = {0, 1};
  OwnCalls own(variant, {&calls[0], &calls[1]});
  EXPECT_EQ(own.make(0), KS_OK);
  EXPECT_THAT(own.times().last(1), testing::IsEmpty()) << "a round without calls has no time";
  EXPECT_EQ(own.make(2), KS_OK);
  EXPECT_THAT(calls, testing::ElementsAre(1, 2));
  EXPECT_EQ(own.make(9), KS_FAILED);
  EXPECT_THAT(calls, testing::ElementsAre(2, 3));
  EXPECT_EQ(own.times().last(9).size(), 1U);
}

}  // namespace
}  // namespace kernsweep
