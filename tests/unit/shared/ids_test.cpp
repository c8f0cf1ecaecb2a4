#include "shared/base/ids.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>
#include <vector>

namespace kernsweep {
namespace {

static_assert(!std::is_convertible_v<SlotId, WorkerId>, "a slot's number never passes for a worker's");
static_assert(!std::is_convertible_v<std::uint32_t, WorkerId>);

TEST(Ids, JobsAreOrderedBySweepThenIndexThenHost) {
  const JobId first{SweepId{1}, 9, 9};
  EXPECT_LT(first, (JobId{SweepId{2}, 0, 0}));
  EXPECT_LT((JobId{SweepId{1}, 8, 99}), first);
  EXPECT_LT((JobId{SweepId{1}, 9, 8}), first);
  EXPECT_EQ(first, (JobId{SweepId{1}, 9, 9}));
}

TEST(Ids, AttemptsAreOrderedByJobThenNumber) {
  const JobId job{SweepId{1}, 5, 0};
  EXPECT_LT((AttemptId{job, 1}), (AttemptId{job, 2}));
  EXPECT_LT((AttemptId{job, 2}), (AttemptId{{SweepId{1}, 6, 0}, 1}));
}

TEST(Ids, HashTellsEveryPartApart) {
  const AttemptId base{{SweepId{1}, 2, 3}, 4};
  const std::hash<AttemptId> hash;
  AttemptId other = base;
  other.job.sweep.value = 5;
  EXPECT_NE(hash(other), hash(base));
  other = base;
  other.job.index = 5;
  EXPECT_NE(hash(other), hash(base));
  other = base;
  other.job.host = 5;
  EXPECT_NE(hash(other), hash(base));
  other = base;
  other.number = 5;
  EXPECT_NE(hash(other), hash(base));
}

// Neighbouring jobs are what tables hold. 64-bit hashes of 2^16 of them should all differ, and 2^16 buckets
// chosen by the low bits should be filled like by chance: 1 - 1/e, 63 %, of them are met.
TEST(Ids, HashSpreadsNeighbouringJobs) {
  constexpr std::size_t kJobs = 1u << 16;
  std::unordered_set<std::size_t> hashes;
  std::vector<bool> met(kJobs);
  for (std::uint32_t host = 0; host < 4; ++host) {
    for (std::uint64_t index = 0; index < kJobs / 4; ++index) {
      const std::size_t hash = std::hash<JobId>()(JobId{SweepId{1}, index, host});
      hashes.insert(hash);
      met[hash % kJobs] = true;
    }
  }
  EXPECT_EQ(hashes.size(), kJobs);
  std::size_t buckets = 0;
  for (const bool each : met) buckets += each;
  EXPECT_GT(buckets, kJobs * 58 / 100);
}

}  // namespace
}  // namespace kernsweep
