// The tables underneath, against the simplest thing that could be right.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "coordinator/core/backlog.hpp"
#include "coordinator/core/flights.hpp"
#include "coordinator/core/ledger.hpp"

namespace kernsweep::coordination {
namespace {

TEST(Ledger, AgreesWithASetOverSeveralChunks) {
  const std::uint64_t size = 3 * 32768 + 100;
  Ledger ledger(size);
  std::set<std::uint64_t> settled;
  for (std::uint64_t i = 0; i < 200'000; ++i) {
    const std::uint64_t index = mix_hash(i, 5) % size;
    EXPECT_EQ(ledger.settle(index), settled.insert(index).second);
  }
  EXPECT_EQ(ledger.settled_count(), settled.size());
  std::uint64_t open = size;
  for (std::uint64_t index = size; index-- > 0;) {
    if (!settled.count(index)) open = index;
    ASSERT_EQ(ledger.settled(index), settled.count(index) == 1) << index;
    if (index % 7 == 0) {
      ASSERT_EQ(ledger.next_open(index), open) << index;
    }
  }
}

TEST(Ledger, FullChunksAreGivenBack) {
  Ledger ledger(100'000'000);
  const std::size_t empty = ledger.bytes();
  for (std::uint64_t index = 0; index < 10 * 32768; ++index) ledger.settle(index);
  EXPECT_EQ(ledger.bytes(), empty);
  EXPECT_EQ(ledger.next_open(0), 10U * 32768);
  EXPECT_FALSE(ledger.settle(5));
}

TEST(Ledger, WorstOrderCostsABitPerJob) {
  const std::uint64_t size = 10'000'000;
  Ledger ledger(size);
  for (std::uint64_t index = 0; index < size; index += 2) ledger.settle(index);
  EXPECT_LT(ledger.bytes(), size / 8 + size / 200);
}

TEST(Ledger, EndOfTheLastChunkIsTheEndOfTheSpace) {
  Ledger ledger(70);
  for (std::uint64_t index = 0; index < 70; ++index) {
    EXPECT_EQ(ledger.next_open(0), index);
    EXPECT_TRUE(ledger.settle(index));
  }
  EXPECT_EQ(ledger.next_open(0), 70U);
  EXPECT_EQ(Ledger(0).next_open(0), 0U);
}

TEST(Flights, AgreeWithAMapWhileTheyComeAndGo) {
  Flights flights;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> expected;
  for (std::uint32_t i = 1; i < 50'000; ++i) {
    const std::uint64_t index = mix_hash(i, 1) % 700;
    const auto host = static_cast<std::uint32_t>(mix_hash(i, 2) % 3);
    if (expected.count({host, index})) {
      ASSERT_EQ(flights.find(index, host)->number, (expected[{host, index}]));
      flights.erase(index, host);
      expected.erase({host, index});
    } else {
      ASSERT_EQ(flights.find(index, host), nullptr);
      flights.send(flights.insert(index, host, i), WorkerId{i % 2});
      expected[{host, index}] = i;
    }
    ASSERT_EQ(flights.size(), expected.size());
  }
  for (const auto& [job, number] : expected) EXPECT_EQ(flights.find(job.second, job.first)->number, number);
  flights.erase(9999, 9);  // nobody: no harm
}

TEST(Flights, JobsOfAWorkerComeInOrder) {
  Flights flights;
  for (std::uint64_t index : {9, 3, 7}) flights.send(flights.insert(index, 0, 1), WorkerId{1});
  flights.send(flights.insert(5, 0, 1), WorkerId{2});
  flights.send(flights.insert(1, 0, 1), WorkerId{1});
  flights.settle_as(*flights.find(1, 0), FlightState::storing);
  std::vector<std::uint64_t> found;
  for (const Flight& flight : flights.sent_to(WorkerId{1})) found.push_back(flight.index);
  EXPECT_EQ(found, (std::vector<std::uint64_t>{3, 7, 9}));
  EXPECT_EQ(flights.newest_sent_to(WorkerId{1}, 2).front().index, 7U);
  EXPECT_EQ(flights.newest_sent_to(WorkerId{1}, 2).back().index, 3U);
}

// Against a list per worker: sent, sent to another, taken back, gone, in any order.
TEST(Flights, EveryWorkersLineIsWhatItWasSent) {
  Flights flights;
  std::map<std::uint32_t, std::vector<std::uint64_t>> lines;
  const auto drop = [&lines](std::uint64_t index) {
    for (auto& [worker, line] : lines) std::erase(line, index);
  };
  for (std::uint32_t i = 1; i < 20'000; ++i) {
    const std::uint64_t index = mix_hash(i, 1) % 90;
    const std::uint32_t worker = 1 + mix_hash(i, 2) % 4;
    Flight* flight = flights.find(index, 0);
    if (!flight) flight = &flights.insert(index, 0, i);
    drop(index);
    switch (mix_hash(i, 3) % 4) {
      case 0:
        flights.erase(index, 0);
        break;
      case 1:
        flights.settle_as(*flight, FlightState::queued);
        break;
      default:
        flights.send(*flight, WorkerId{worker});
        lines[worker].push_back(index);
    }
    const std::vector<std::uint64_t>& line = lines[worker];
    const std::vector<Flight> newest = flights.newest_sent_to(WorkerId{worker}, 1000);
    ASSERT_EQ(newest.size(), line.size());
    ASSERT_EQ(flights.sent_count(WorkerId{worker}), line.size());
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
}  // namespace kernsweep::coordination
