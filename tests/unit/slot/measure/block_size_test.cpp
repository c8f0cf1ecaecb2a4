#include "worker/slot/measure/block_size.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

using namespace std::chrono_literals;

// A reading of 25 ns is a ten-thousandth of 250 us; with the margin of a quarter a block is to take 312.5
// us.
constexpr double kTimer = 25e-9;

TEST(CallsPerSample, MakeReadingTheClockCostATenThousandthAtMost) {
  for (const double call_s : {1e-9, 3e-8, 1e-6, 7e-5, 1e-4, 2.4e-4}) {
    const auto calls = static_cast<double>(calls_per_sample(call_s, kTimer));
    EXPECT_LE(kTimer, 1e-4 * calls * call_s * (1 + 1e-12)) << call_s;
    EXPECT_GT(kTimer * (1 + 1e-12), 1e-4 * (calls - 1) * call_s) << call_s << ": one call less would do";
  }
}

// 25 ns are a ten-thousandth of 250 us: from there on one call is enough.
TEST(CallsPerSample, IsOneForLongCallsAndForUnknownOnes) {
  EXPECT_EQ(calls_per_sample(2.6e-4, kTimer), 1u);
  EXPECT_EQ(calls_per_sample(10, kTimer), 1u);
  EXPECT_EQ(calls_per_sample(0, kTimer), 1u);
  EXPECT_EQ(calls_per_sample(-1, kTimer), 1u);
  EXPECT_EQ(calls_per_sample(1e-6, 0), 1u);
}

TEST(CallsPerSample, HasALimit) {
  EXPECT_EQ(calls_per_sample(1e-15, kTimer), kCallsMax);
}

// 312.5 us / 36 ns = 8680.6
TEST(BlockSize, BeginsWithTheGuessAndTheMargin) {
  EXPECT_EQ(BlockSize(36e-9, {kTimer}, 15s).calls(), 8681u);
  EXPECT_EQ(BlockSize(312.6e-6, {kTimer}, 15s).calls(), 1u);
  EXPECT_EQ(BlockSize(0, {kTimer}, 15s).calls(), 1u);
  EXPECT_EQ(BlockSize(1e-15, {kTimer}, 15s).calls(), kCallsMax);
}

// The first call of a kernel of 36 ns took half a second. Blocks grow 64-fold at most, and by a quarter
// more than they lack: 1, 64, 4096 (147,456 ns: 390,625 / 147,456 = 2.649), 10,851 calls, which take
// 390,636 ns.
TEST(BlockSize, FindsItsWayFromASlowFirstCall) {
  BlockSize size(0.5, {kTimer}, 15s);
  for (const std::uint64_t calls : {1u, 64u, 4096u}) {
    EXPECT_EQ(size.calls(), calls);
    EXPECT_FALSE(size.add(calls * 36ns));
  }
  EXPECT_EQ(size.calls(), 10'851u);
  for (int block = 0; block < 5; ++block) EXPECT_TRUE(size.add(10'851 * 36ns));
  EXPECT_EQ(size.calls(), 10'851u);
}

TEST(BlockSize, ALongCallIsASampleFromTheFirstOneOn) {
  BlockSize size(2, {kTimer}, 15s);
  for (int block = 0; block < 3; ++block) EXPECT_TRUE(size.add(2s));
  EXPECT_EQ(size.calls(), 1u);
}

TEST(BlockSize, ADisturbedBlockDoesNotPassForALongOne) {
  BlockSize size(0.5, {kTimer}, 15s);
  EXPECT_TRUE(size.add(5ms)) << "for the time being";
  EXPECT_TRUE(size.add(5ms));
  EXPECT_FALSE(size.add(40ns)) << "one that is short is proof";
  EXPECT_EQ(size.calls(), 64u);
}

// 390,625 / 300,000 = 1.302 times 1000 calls.
TEST(BlockSize, ThreeInARowMustBeLongEnoughOfEachSize) {
  BlockSize size(312.5e-9, {kTimer}, 15s);
  EXPECT_EQ(size.calls(), 1000u);
  EXPECT_TRUE(size.add(313us));
  EXPECT_TRUE(size.add(313us));
  EXPECT_FALSE(size.add(300us));
  EXPECT_EQ(size.calls(), 1303u);
  EXPECT_TRUE(size.add(313us));
  EXPECT_FALSE(size.add(312us)) << "those of the smaller size do not count";
}

TEST(BlockSize, OnceFoundItStays) {
  BlockSize size(312.5e-9, {kTimer}, 15s);
  for (int block = 0; block < 3; ++block) EXPECT_TRUE(size.add(313us));
  EXPECT_TRUE(size.add(1us));
  EXPECT_EQ(size.calls(), 1000u);
}

TEST(BlockSize, AClockThatStandsOrGoesBackEndsAtTheLimit) {
  for (const Duration took : {0ns, -5ns}) {
    BlockSize size(1, {kTimer}, 15s);
    int grown = 0;
    while (!size.add(took)) ++grown;
    EXPECT_EQ(grown, 4) << "64, 4096, 262144, a million";
    EXPECT_EQ(size.calls(), kCallsMax);
  }
}

TEST(BlockSize, ASampleIsNoLongerThanSamplesMayTake) {
  BlockSize size(3e-6, {kTimer}, 100us);
  EXPECT_EQ(size.calls(), 34u);
  EXPECT_TRUE(size.add(100us));
  BlockSize none(1e-6, {kTimer}, 0s);
  EXPECT_EQ(none.calls(), 1u);
  EXPECT_TRUE(none.add(1ns));
}

}  // namespace
}  // namespace kernsweep
