// Which attempts of an earlier life may not be gone on with.
#include "coordinator/core/spent.hpp"

#include <gtest/gtest.h>

namespace kernsweep::coordination {
namespace {

AttemptId attempt(std::uint64_t job, std::uint32_t number, std::uint32_t host = 0) {
  return {{SweepId{1}, job, host}, number};
}

TEST(SpentAttempts, OfNothingIsEverythingOpen) {
  SpentAttempts spent;
  spent.arrange();
  EXPECT_FALSE(spent.covers(attempt(0, 1)));
}

TEST(SpentAttempts, CoverTheirJobUpToTheirNumber) {
  SpentAttempts spent = {attempt(7, 2), attempt(3, 1), attempt(7, 5), attempt(7, 4)};
  spent.arrange();
  for (const std::uint32_t number : {1, 2, 3, 5}) EXPECT_TRUE(spent.covers(attempt(7, number))) << number;
  EXPECT_FALSE(spent.covers(attempt(7, 6)));
  EXPECT_TRUE(spent.covers(attempt(3, 1)));
  EXPECT_FALSE(spent.covers(attempt(3, 2)));
  EXPECT_FALSE(spent.covers(attempt(2, 1)));
  EXPECT_FALSE(spent.covers(attempt(4, 1)));
  EXPECT_FALSE(spent.covers(attempt(7, 1, 1))) << "of another host";
}

// The outcomes come by job, those of the hosts mixed; jobs between have none.
TEST(SpentAttempts, OutcomesCoverRunsOfJobs) {
  SpentAttempts spent;
  for (std::uint64_t job = 10; job < 1000; ++job) {
    if (job == 500) continue;
    spent.add_outcome(attempt(job, job < 700 ? 1 : 3, 2));
    if (job % 2 == 0) spent.add_outcome(attempt(job, 2, 1));
  }
  spent.add_tried(attempt(20, 4, 2));
  spent.arrange();
  for (const std::uint64_t job : {10, 11, 499, 501, 699}) {
    EXPECT_TRUE(spent.covers(attempt(job, 1, 2))) << job;
    EXPECT_FALSE(spent.covers(attempt(job, 2, 2))) << job;
    EXPECT_EQ(spent.covers(attempt(job, 2, 1)), job % 2 == 0) << job;
  }
  for (const std::uint64_t job : {9, 500, 1000}) EXPECT_FALSE(spent.covers(attempt(job, 1, 2))) << job;
  EXPECT_TRUE(spent.covers(attempt(999, 3, 2)));
  EXPECT_TRUE(spent.covers(attempt(20, 4, 2))) << "tried after its outcome had given way";
  EXPECT_FALSE(spent.covers(attempt(20, 5, 2)));
}

}  // namespace
}  // namespace kernsweep::coordination
