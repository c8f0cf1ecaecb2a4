// Which attempts of an earlier life may not continue.
#include "coordinator/core/stored_attempts.hpp"

#include <gtest/gtest.h>

namespace kernsweep::coordinator {
namespace {

AttemptId attempt(std::uint64_t job, std::uint32_t number, std::uint32_t host = 0) {
  return {{SweepId{1}, job, host}, number};
}

TEST(StoredAttempts, OfNothingIsEverythingOpen) {
  StoredAttempts stored;
  stored.arrange();
  EXPECT_FALSE(stored.covers(attempt(0, 1)));
}

TEST(StoredAttempts, CoverTheirJobUpToTheirNumber) {
  StoredAttempts stored = {attempt(7, 2), attempt(3, 1), attempt(7, 5), attempt(7, 4)};
  stored.arrange();
  for (const std::uint32_t number : {1, 2, 3, 5}) EXPECT_TRUE(stored.covers(attempt(7, number))) << number;
  EXPECT_FALSE(stored.covers(attempt(7, 6)));
  EXPECT_TRUE(stored.covers(attempt(3, 1)));
  EXPECT_FALSE(stored.covers(attempt(3, 2)));
  EXPECT_FALSE(stored.covers(attempt(2, 1)));
  EXPECT_FALSE(stored.covers(attempt(4, 1)));
  EXPECT_FALSE(stored.covers(attempt(7, 1, 1))) << "of another host";
}

// The outcomes come by job, those of the hosts mixed; jobs between have none.
TEST(StoredAttempts, OutcomesCoverRunsOfJobs) {
  StoredAttempts stored;
  for (std::uint64_t job = 10; job < 1000; ++job) {
    if (job == 500) continue;
    stored.add_outcome(attempt(job, job < 700 ? 1 : 3, 2));
    if (job % 2 == 0) stored.add_outcome(attempt(job, 2, 1));
  }
  stored.add_tried(attempt(20, 4, 2));
  stored.arrange();
  for (const std::uint64_t job : {10, 11, 499, 501, 699}) {
    EXPECT_TRUE(stored.covers(attempt(job, 1, 2))) << job;
    EXPECT_FALSE(stored.covers(attempt(job, 2, 2))) << job;
    EXPECT_EQ(stored.covers(attempt(job, 2, 1)), job % 2 == 0) << job;
  }
  for (const std::uint64_t job : {9, 500, 1000}) EXPECT_FALSE(stored.covers(attempt(job, 1, 2))) << job;
  EXPECT_TRUE(stored.covers(attempt(999, 3, 2)));
  EXPECT_TRUE(stored.covers(attempt(20, 4, 2))) << "tried after its outcome had given way";
  EXPECT_FALSE(stored.covers(attempt(20, 5, 2)));
}

}  // namespace
}  // namespace kernsweep::coordinator
