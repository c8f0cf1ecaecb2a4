#include "cli/commands/run/roofs_sweep.hpp"

#include <gmock/gmock.h>

#include <map>
#include <regex>

#include "language/space/expansion.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

using ::testing::ElementsAre;

// Four cores; two and two share a last-level cache of 32 MiB.
Topology example() {
  Topology topology;
  for (std::uint32_t i = 0; i < 4; ++i) topology.cores.push_back({.cpu = i, .cache = i / 2});
  topology.l1d_bytes = 32 << 10;
  topology.l2_bytes = 1 << 20;
  topology.llc_bytes = 32 << 20;
  topology.memory_bytes = 16ULL << 30;
  return topology;
}

TEST(RoofsSweep, ThreadsAreThePowersOfTwoAndAllCores) {
  Topology topology = example();
  EXPECT_THAT(thread_counts(topology), ElementsAre(1, 2, 4));
  topology.cores.resize(3);
  EXPECT_THAT(thread_counts(topology), ElementsAre(1, 2, 3));
  topology.cores.resize(1);
  EXPECT_THAT(thread_counts(topology), ElementsAre(1));
}

TEST(RoofsSweep, AListOfThreadsIsReadAndHeldAgainstTheHost) {
  EXPECT_THAT(*thread_counts("4,1,4", example()), ElementsAre(1, 4));
  for (const char* wrong : {"0", "-1", "1,", ",1", "two", "1;2", "1 ", "99999999999"})
    EXPECT_THAT(thread_counts(wrong, example()).error().message, IsGolden()) << wrong;
  EXPECT_THAT(thread_counts("5", example()).error().message, IsGolden());
}

// The reads and copies: (level, threads) -> (bytes, passes).
std::map<std::pair<std::string, int>, std::pair<std::uint64_t, int>> levels_of(const std::string& sweep) {
  static const std::regex kRow(
      R"(\{label: (\w+), threads: (\d+), operations: null, bytes: (\d+), passes: (\d+)\})");
  std::map<std::pair<std::string, int>, std::pair<std::uint64_t, int>> levels;
  for (std::sregex_iterator row(sweep.begin(), sweep.end(), kRow), end; row != end; ++row)
    levels[{(*row)[1], std::stoi((*row)[2])}] = {std::stoull((*row)[3]), std::stoi((*row)[4])};
  return levels;
}

TEST(RoofsSweep, CachesAreMeasuredWithHalfTheirSizeAndMemoryWithFourTimesTheCaches) {
  const auto levels = levels_of(roofs_sweep(example(), {1, 4}));
  // One thread: 16 KiB, 2^25 / 2^14 passes; 512 KiB; 16 MiB; 4 x 32 MiB.
  EXPECT_EQ(levels.at({"L1", 1}), std::pair(16384UL, 2048));
  EXPECT_EQ(levels.at({"L2", 1}), std::pair(524288UL, 64));
  EXPECT_EQ(levels.at({"L3", 1}), std::pair(16777216UL, 2));
  EXPECT_EQ(levels.at({"memory", 1}), std::pair(134217728UL, 1));
  // Four threads have four first-level caches and two last-level ones.
  EXPECT_EQ(levels.at({"L1", 4}), std::pair(65536UL, 2048));
  EXPECT_EQ(levels.at({"L3", 4}), std::pair(33554432UL, 4));
  EXPECT_EQ(levels.at({"memory", 4}), std::pair(268435456UL, 1));
}

TEST(RoofsSweep, WhatIsNotKnownOrNotApartIsLeftOut) {
  Topology topology = example();
  topology.l1d_bytes = 0;
  topology.llc_bytes = 6 << 20;  // half of it: 3 MiB for one thread, 1.5 MiB for each of two
  const auto levels = levels_of(roofs_sweep(topology, {1, 2}));
  EXPECT_FALSE(levels.contains({"L1", 1}));
  EXPECT_FALSE(levels.contains({"L1", 2}));
  EXPECT_TRUE(levels.contains({"L3", 1}));
  EXPECT_FALSE(levels.contains({"L3", 2}));
}

TEST(RoofsSweep, MemoryHasAFloorAndAQuarterOfTheHostsAsCeiling) {
  Topology topology = example();
  topology.llc_bytes = 0;
  EXPECT_EQ(levels_of(roofs_sweep(topology, {1})).at({"memory", 1}).first, 67108864U);
  topology.memory_bytes = 128 << 20;
  EXPECT_EQ(levels_of(roofs_sweep(topology, {1})).at({"memory", 1}).first, 33554432U);
}

// For each number of threads: 3 x 2 + 2 peaks; 4 levels read by 3 variants; 3 caches by copy and triad; the
// memory by both with and without non-temporal stores: 8 + 12 + 6 + 4 = 30.
TEST(RoofsSweep, ItIsAWholeSweepOfThirtyPointsForEachNumberOfThreads) {
  const auto expansion = Expansion::parse(roofs_sweep(example(), {1, 2, 4}), "", {});
  ASSERT_TRUE(expansion) << expansion.error().message;
  std::uint64_t kept = 0;
  Point point;
  for (std::uint64_t i = 0; i < expansion->raw_points(); ++i) {
    expansion->point_at(i, point);
    if (!expansion->rejection(i, point)) ++kept;
  }
  EXPECT_EQ(kept, 90U);
  EXPECT_EQ(expansion->sweep().name, "roofs");
}

// Six peaks; the L2 read, copied and added, in two sizes; the memory read, and copied and added in two
// ways.
TEST(RoofsSweep, ThatOfAGpuIsAWholeSweepOfItsOwn) {
  const auto expansion = Expansion::parse(gpu_roofs_sweep(), "", {});
  ASSERT_TRUE(expansion) << expansion.error().message;
  std::uint64_t kept = 0;
  Point point;
  for (std::uint64_t i = 0; i < expansion->raw_points(); ++i) {
    expansion->point_at(i, point);
    if (!expansion->rejection(i, point)) ++kept;
  }
  EXPECT_EQ(kept, 6U + 2 * 3U + 1U + 4U);
  EXPECT_EQ(expansion->sweep().name, "gpu-roofs");
  std::smatch f16;
  const std::string text = gpu_roofs_sweep();
  ASSERT_TRUE(std::regex_search(text, f16, std::regex(R"(label: core, dtype: f16, operations: (\d+),)")));
  EXPECT_EQ(std::stoull(f16[1]), 1ULL << 41);
  EXPECT_THAT(text, ::testing::HasSubstr("device: [gpu]"));
}

}  // namespace
}  // namespace kernsweep
