// The tables underneath, against the simplest thing that could be right.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "coordinator/core/backlog.hpp"
#include "coordinator/core/in_flight_jobs.hpp"
#include "coordinator/core/settled_jobs.hpp"

namespace kernsweep::coordinator {
namespace {

TEST(SettledJobs, AgreesWithASetOverSeveralChunks) {
  const std::uint64_t size = 3 * 32768 + 100;
  SettledJobs settled_jobs(size);
  std::set<std::uint64_t> settled;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t index = mix_hash(i, 5) % size;
    EXPECT_EQ(settled_jobs.settle(index), settled.insert(index).second);
  }
  EXPECT_EQ(settled_jobs.settled_count(), settled.size());
  std::uint64_t open = size;
  for (std::uint64_t index = size; index-- > 0;) {
    if (!settled.count(index)) open = index;
    ASSERT_EQ(settled_jobs.settled(index), settled.count(index) == 1) << index;
    if (index % 7 == 0) {
      ASSERT_EQ(settled_jobs.next_open(index), open) << index;
    }
  }
}

TEST(SettledJobs, FullChunksAreGivenBack) {
  SettledJobs settled_jobs(100'000'000);
  const std::size_t empty = settled_jobs.bytes();
  for (std::uint64_t index = 0; index < 10 * 32768; ++index) settled_jobs.settle(index);
  EXPECT_EQ(settled_jobs.bytes(), empty);
  EXPECT_EQ(settled_jobs.next_open(0), 10U * 32768);
  EXPECT_FALSE(settled_jobs.settle(5));
}

TEST(SettledJobs, WorstOrderCostsABitPerJob) {
  const std::uint64_t size = 10'000'000;
  SettledJobs settled_jobs(size);
  for (std::uint64_t index = 0; index < size; index += 2) settled_jobs.settle(index);
  EXPECT_LT(settled_jobs.bytes(), size / 8 + size / 200);
}

TEST(SettledJobs, EndOfTheLastChunkIsTheEndOfTheSpace) {
  SettledJobs settled_jobs(70);
  for (std::uint64_t index = 0; index < 70; ++index) {
    EXPECT_EQ(settled_jobs.next_open(0), index);
    EXPECT_TRUE(settled_jobs.settle(index));
  }
  EXPECT_EQ(settled_jobs.next_open(0), 70U);
  EXPECT_EQ(SettledJobs(0).next_open(0), 0U);
}

TEST(InFlightJobs, AgreeWithAMapWhileTheyComeAndGo) {
  InFlightJobs in_flight_jobs;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> expected;
  for (std::uint32_t i = 1; i < 50'000; ++i) {
    const std::uint64_t index = mix_hash(i, 1) % 700;
    const auto host = static_cast<std::uint32_t>(mix_hash(i, 2) % 3);
    if (expected.count({host, index})) {
      ASSERT_EQ(in_flight_jobs.find(index, host)->number, (expected[{host, index}]));
      in_flight_jobs.erase(index, host);
      expected.erase({host, index});
    } else {
      ASSERT_EQ(in_flight_jobs.find(index, host), nullptr);
      in_flight_jobs.send(in_flight_jobs.insert(index, host, i), WorkerId{i % 2});
      expected[{host, index}] = i;
    }
    ASSERT_EQ(in_flight_jobs.size(), expected.size());
  }
  for (const auto& [job, number] : expected)
    EXPECT_EQ(in_flight_jobs.find(job.second, job.first)->number, number);
  in_flight_jobs.erase(9999, 9);  // no such worker: harmless
}

TEST(InFlightJobs, JobsOfAWorkerComeInOrder) {
  InFlightJobs in_flight_jobs;
  for (std::uint64_t index : {9, 3, 7})
    in_flight_jobs.send(in_flight_jobs.insert(index, 0, 1), WorkerId{1});
  in_flight_jobs.send(in_flight_jobs.insert(5, 0, 1), WorkerId{2});
  in_flight_jobs.send(in_flight_jobs.insert(1, 0, 1), WorkerId{1});
  in_flight_jobs.settle_as(*in_flight_jobs.find(1, 0), InFlightState::storing);
  std::vector<std::uint64_t> found;
  for (const InFlightJob& in_flight : in_flight_jobs.sent_to(WorkerId{1})) found.push_back(in_flight.index);
  EXPECT_EQ(found, (std::vector<std::uint64_t>{3, 7, 9}));
  EXPECT_EQ(in_flight_jobs.newest_sent_to(WorkerId{1}, 2).front().index, 7U);
  EXPECT_EQ(in_flight_jobs.newest_sent_to(WorkerId{1}, 2).back().index, 3U);
}

// Against a list per worker: sent, sent to another, taken back, gone, in any order.
TEST(InFlightJobs, EveryWorkersLineIsWhatItWasSent) {
  InFlightJobs in_flight_jobs;
  std::map<std::uint32_t, std::vector<std::uint64_t>> lines;
  const auto drop = [&lines](std::uint64_t index) {
    for (auto& [worker, line] : lines) std::erase(line, index);
  };
  for (std::uint32_t i = 1; i < 20'000; ++i) {
    const std::uint64_t index = mix_hash(i, 1) % 90;
    const std::uint32_t worker = 1 + mix_hash(i, 2) % 4;
    InFlightJob* in_flight = in_flight_jobs.find(index, 0);
    if (!in_flight) in_flight = &in_flight_jobs.insert(index, 0, i);
    drop(index);
    switch (mix_hash(i, 3) % 4) {
      case 0:
        in_flight_jobs.erase(index, 0);
        break;
      case 1:
        in_flight_jobs.settle_as(*in_flight, InFlightState::queued);
        break;
      default:
        in_flight_jobs.send(*in_flight, WorkerId{worker});
        lines[worker].push_back(index);
    }
    const std::vector<std::uint64_t>& line = lines[worker];
    const std::vector<InFlightJob> newest = in_flight_jobs.newest_sent_to(WorkerId{worker}, 1000);
    ASSERT_EQ(newest.size(), line.size());
    ASSERT_EQ(in_flight_jobs.sent_count(WorkerId{worker}), line.size());
    for (std::size_t k = 0; k < line.size(); ++k) ASSERT_EQ(newest[line.size() - 1 - k].index, line[k]);
  }
}

TEST(IndexRuns, NeighboursShareARun) {
  IndexRuns runs;
  for (std::uint64_t index : {4, 5, 6, 9, 10, 2}) runs.push(index);
  EXPECT_EQ(runs.runs(), 3U);
  EXPECT_EQ(runs.count(), 6U);
  std::vector<std::uint64_t> popped;
  while (!runs.empty()) popped.push_back(runs.pop());
  EXPECT_EQ(popped, (std::vector<std::uint64_t>{4, 5, 6, 9, 10, 2}));
}

}  // namespace
}  // namespace kernsweep::coordinator
