#include "cli/commands/run/roofs_sweep.hpp"

#include <gmock/gmock.h>

#include "language/space/expansion.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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
    EXPECT_THAT(thread_counts(wrong, example()).error().message, HasSubstr(wrong)) << wrong;
  EXPECT_THAT(thread_counts("5", example()).error().message, IsGolden());
}

TEST(RoofsSweep, CachesAreMeasuredWithHalfTheirSizeAndMemoryWithFourTimesTheCaches) {
  const std::string text = roofs_sweep(example(), {1, 4});
  // One thread: 16 KiB, 2^25 / 2^14 passes; 512 KiB; 16 MiB; 4 x 32 MiB.
  EXPECT_THAT(text, HasSubstr("{label: L1, threads: 1, operations: null, bytes: 16384, passes: 2048}"));
  EXPECT_THAT(text, HasSubstr("{label: L2, threads: 1, operations: null, bytes: 524288, passes: 64}"));
  EXPECT_THAT(text, HasSubstr("{label: L3, threads: 1, operations: null, bytes: 16777216, passes: 2}"));
  EXPECT_THAT(text,
              HasSubstr("{label: memory, threads: 1, operations: null, bytes: 134217728, passes: 1}"));
  // Four threads have four first-level caches and two last-level ones.
  EXPECT_THAT(text, HasSubstr("{label: L1, threads: 4, operations: null, bytes: 65536, passes: 2048}"));
  EXPECT_THAT(text, HasSubstr("{label: L3, threads: 4, operations: null, bytes: 33554432, passes: 4}"));
  EXPECT_THAT(text,
              HasSubstr("{label: memory, threads: 4, operations: null, bytes: 268435456, passes: 1}"));
}

TEST(RoofsSweep, WhatIsNotKnownOrNotApartIsLeftOut) {
  Topology topology = example();
  topology.l1d_bytes = 0;
  topology.llc_bytes = 6 << 20;  // half of it: 3 MiB for one thread, 1.5 MiB for each of two
  const std::string text = roofs_sweep(topology, {1, 2});
  EXPECT_THAT(text, Not(HasSubstr("label: L1")));
  EXPECT_THAT(text, HasSubstr("{label: L3, threads: 1"));
  EXPECT_THAT(text, Not(HasSubstr("{label: L3, threads: 2")));
}

TEST(RoofsSweep, MemoryHasAFloorAndAQuarterOfTheHostsAsCeiling) {
  Topology topology = example();
  topology.llc_bytes = 0;
  EXPECT_THAT(roofs_sweep(topology, {1}),
              HasSubstr("{label: memory, threads: 1, operations: null, bytes: 67108864,"));
  topology.memory_bytes = 128 << 20;
  EXPECT_THAT(roofs_sweep(topology, {1}),
              HasSubstr("{label: memory, threads: 1, operations: null, bytes: 33554432,"));
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

// Six peaks; the L2 read, copied and added; the memory read, and copied and added in two ways.
TEST(RoofsSweep, ThatOfAGpuIsAWholeSweepOfItsOwn) {
  const auto expansion = Expansion::parse(gpu_roofs_sweep(), "", {});
  ASSERT_TRUE(expansion) << expansion.error().message;
  std::uint64_t kept = 0;
  Point point;
  for (std::uint64_t i = 0; i < expansion->raw_points(); ++i) {
    expansion->point_at(i, point);
    if (!expansion->rejection(i, point)) ++kept;
  }
  EXPECT_EQ(kept, 6U + 3U + 1U + 4U);
  EXPECT_EQ(expansion->sweep().name, "gpu-roofs");
  EXPECT_THAT(gpu_roofs_sweep(), HasSubstr("{label: core, dtype: f16, operations: 2199023255552,"));
  EXPECT_THAT(gpu_roofs_sweep(), HasSubstr("device: [gpu]"));
}

}  // namespace
}  // namespace kernsweep
