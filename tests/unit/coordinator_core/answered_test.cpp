#include "coordinator/core/answered.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "coordinator/core/settled_jobs.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr std::uint64_t kChunk = 32768;

std::set<std::uint64_t> jobs_of(const AnsweredJobs& answered, std::uint32_t wanted = 0) {
  std::set<std::uint64_t> jobs;
  answered.each_run([&](std::uint32_t host, std::uint64_t first, std::uint64_t last) {
    EXPECT_LE(first, last);
    if (host != wanted) return;
    for (std::uint64_t job = first; job <= last; ++job) EXPECT_TRUE(jobs.insert(job).second) << job;
  });
  return jobs;
}

TEST(AnsweredJobs, ComeBackAsTheyWereTold) {
  AnsweredJobs answered;
  // Edges of words and of chunks, alone and in runs, some of it twice.
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> told = {
      {0, 0}, {63, 64}, {70, 200}, {127, 128}, {kChunk - 1, kChunk}, {2 * kChunk + 5, 2 * kChunk + 5}};
  std::set<std::uint64_t> expected;
  for (const auto& [first, last] : told) {
    answered.add_run(first, last);
    for (std::uint64_t job = first; job <= last; ++job) expected.insert(job);
  }
  EXPECT_EQ(jobs_of(answered), expected);
  EXPECT_EQ(answered.count(), expected.size());
  for (std::uint64_t job = 0; job < 3 * kChunk; ++job)
    ASSERT_EQ(answered.contains(job), expected.count(job) == 1) << job;
}

TEST(AnsweredJobs, FullChunksAreOneRunEachHoweverTheyWereFilled) {
  AnsweredJobs answered;
  for (std::uint64_t job = kChunk; job-- > 0;) answered.add(job);  // backwards, one by one
  answered.add_run(kChunk, 3 * kChunk - 1);
  answered.add(5);  // known already
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs;
  answered.each_run(
      [&](std::uint32_t, std::uint64_t first, std::uint64_t last) { runs.emplace_back(first, last); });
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {
      {0, kChunk - 1}, {kChunk, 2 * kChunk - 1}, {2 * kChunk, 3 * kChunk - 1}};
  EXPECT_EQ(runs, expected);
  EXPECT_EQ(answered.count(), 3 * kChunk);
  EXPECT_FALSE(answered.contains(3 * kChunk));
}

TEST(AnsweredJobs, HostsAreKeptApart) {
  AnsweredJobs answered;
  answered.add(7, 1);
  answered.add(8, 2);
  EXPECT_TRUE(answered.contains(7, 1));
  EXPECT_FALSE(answered.contains(7, 2));
  EXPECT_FALSE(answered.contains(7));
  EXPECT_EQ(jobs_of(answered, 2), std::set<std::uint64_t>{8});
  EXPECT_EQ(answered.count(), 2U);
}

TEST(SettledJobs, ARunSettlesWhatOneByOneWouldSettle) {
  constexpr std::uint64_t kSize = 3 * kChunk + 100;  // the last chunk is a short one
  for (const auto& [first, last] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0},
                                                            {0, kChunk - 1},
                                                            {5, 2 * kChunk + 5},
                                                            {kChunk, 3 * kChunk - 1},
                                                            {10, kSize - 1},
                                                            {3 * kChunk, kSize - 1}}) {
    SettledJobs runs(kSize), singles(kSize);
    runs.settle(kChunk + 7);
    singles.settle(kChunk + 7);
    std::uint64_t fresh = 0;
    for (std::uint64_t index = first; index <= last; ++index) fresh += singles.settle(index) ? 1 : 0;
    EXPECT_EQ(runs.settle_run(first, last), fresh);
    EXPECT_EQ(runs.settled_count(), singles.settled_count());
    for (std::uint64_t index = 0; index < kSize; index += 1 + index % 7)
      ASSERT_EQ(runs.settled(index), singles.settled(index)) << index;
    EXPECT_EQ(runs.next_open(0), singles.next_open(0));
    EXPECT_EQ(runs.next_open(first), singles.next_open(first));
  }
}

TEST(SettledJobs, SettledFromTheBeginningItTakesNoMemoryForChunks) {
  SettledJobs settled_jobs(100'000'000);
  const std::size_t empty = settled_jobs.bytes();
  settled_jobs.settle_run(0, 99'999'999);
  EXPECT_EQ(settled_jobs.next_open(0), 100'000'000U);
  EXPECT_LE(settled_jobs.bytes(), empty + 64);
}

}  // namespace
}  // namespace kernsweep::coordinator
