#include "results/roofs/roofline.hpp"
#include "tests/golden_text/golden_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kernsweep {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// 100 GFLOP/s in f32, 400 GOP/s in s8; 200 GB/s from an L1 measured with 1000 bytes (so it holds 2000), 50
// GB/s from an L2 of 20,000, 10 GB/s from memory.
Roofs example() {
  Roofs roofs;
  roofs.add_peak("f32", {100, "avx512", 'A'});
  roofs.add_peak("s8", {400, "avx512", 'A'});
  roofs.add_level({"memory", 1e6, {10, "triad", 'A'}});
  roofs.add_level({"L2", 10000, {50, "read", 'A'}});
  roofs.add_level({"L1", 1000, {200, "read", 'A'}});
  return roofs;
}

RoofShare share_of(const Call& call) {
  const auto share = share_of_roof(example(), call);
  if (share) return *share;
  ADD_FAILURE() << share.error().message;
  return {};
}

std::string why_not(const Call& call, const Roofs& roofs = example()) {
  const auto share = share_of_roof(roofs, call);
  return share ? "has a share" : share.error().message;
}

TEST(Roofline, ManyOperationsPerByteAreLimitedByThePeak) {
  // 1e9 operations at 100e9 per second: 10 ms. 1e6 bytes from memory at 10e9: 0.1 ms. It took 20 ms.
  const RoofShare share = share_of({"f32", 1e9, 1e6, 20e-3});
  EXPECT_NEAR(share.share, 0.5, 1e-12);
  EXPECT_EQ(share.bound, Bound::compute);
  EXPECT_EQ(share.roof, "f32 peak");
  EXPECT_NEAR(share.intensity, 1000, 1e-9);
  EXPECT_NEAR(share.roof_seconds, 10e-3, 1e-15);
}

// Their roof is that of products of one warp, and libraries have faster ones.
TEST(Roofline, ResultsOfTensorCoresMayBeFarAboveTheirRoof) {
  const auto doubted_above = [](const char* dtype, bool on_gpu) {
    Call call{dtype, 1e9, 1e6, 20e-3};
    call.on_gpu = on_gpu;
    return share_of(call).doubted_above;
  };
  EXPECT_EQ(doubted_above("s8", true), kAboveWarpRoof);
  EXPECT_EQ(doubted_above("f32", true), kAboveRoof);
  EXPECT_EQ(doubted_above("s8", false), kAboveRoof);
}

TEST(Roofline, FewOperationsPerByteAreLimitedByTheMemory) {
  // 1e6 operations: 10 us; 1e7 bytes: 1 ms; it took 4 ms. As GFLOP/s: 0.25 of min(100, 0.1 * 10) = 1.
  const RoofShare share = share_of({"f32", 1e6, 1e7, 4e-3});
  EXPECT_NEAR(share.share, 0.25, 1e-12);
  EXPECT_EQ(share.bound, Bound::memory);
  EXPECT_EQ(share.roof, "memory bandwidth");
}

TEST(Roofline, AtTheRidgeItIsComputing) {
  // 10 operations per byte is where 100 GFLOP/s and 10 GB/s meet: 1e7 operations and 1e6 bytes both take
  // 0.1 ms.
  EXPECT_EQ(share_of({"f32", 1e7, 1e6, 1e-3}).bound, Bound::compute);
  EXPECT_EQ(share_of({"f32", 1e7, 1.01e6, 1e-3}).bound, Bound::memory);
}

TEST(Roofline, AHotResultIsHeldAgainstTheSmallestCacheThatHoldsIt) {
  EXPECT_EQ(share_of({"f32", 1, 2000, 1e-3}).roof, "L1 bandwidth");  // twice what was measured: full
  EXPECT_EQ(share_of({"f32", 1, 2001, 1e-3}).roof, "L2 bandwidth");  // no more
  EXPECT_EQ(share_of({"f32", 1, 20001, 1e-3}).roof, "memory bandwidth");
}

TEST(Roofline, AColdResultIsHeldAgainstTheMemory) {
  EXPECT_EQ(share_of({"f32", 1, 2000, 1e-3, true}).roof, "memory bandwidth");
}

TEST(Roofline, ShortAndFarBelowBothIsOverhead) {
  // 100 operations at 100e9 per second are 1 ns: of 19 us that is next to nothing.
  EXPECT_EQ(share_of({"f32", 100, 40, 19e-6}).bound, Bound::overhead);
  // The same share, but a call so long that starting it does not matter.
  EXPECT_EQ(share_of({"f32", 100, 40, 21e-6}).bound, Bound::compute);
  // As short, but just above 10 % (1e5 operations are 1 us of 10 us) and just below.
  EXPECT_EQ(share_of({"f32", 1.01e5, 0, 10e-6}).bound, Bound::compute);
  EXPECT_EQ(share_of({"f32", 0.99e5, 0, 10e-6}).bound, Bound::overhead);
}

TEST(Roofline, ShortAndFarBelowBothOnAGpuIsItsLaunch) {
  EXPECT_EQ(share_of({"f32", 100, 40, 19e-6, false, true}).bound, Bound::launch);
  EXPECT_EQ(share_of({"f32", 100, 40, 21e-6, false, true}).bound, Bound::compute);
  EXPECT_EQ(share_of({"f32", 1.01e5, 0, 10e-6, false, true}).bound, Bound::compute);
  EXPECT_EQ(name_of(Bound::launch), "launch");
  EXPECT_EQ(name_of(Bound::overhead), "overhead");
}

TEST(Roofline, ACopyHasAShareAlthoughItComputesNothing) {
  // 1e7 bytes at 10 GB/s: 1 ms of 2 ms; no data type is needed.
  const RoofShare share = share_of({"", 0, 1e7, 2e-3});
  EXPECT_NEAR(share.share, 0.5, 1e-12);
  EXPECT_EQ(share.bound, Bound::memory);
  EXPECT_EQ(share.intensity, 0);
  EXPECT_NEAR(share_of({"f32", kNaN, 1e7, 2e-3}).share, 0.5, 1e-12);
}

TEST(Roofline, WithoutTrafficTheIntensityIsInfinite) {
  const RoofShare share = share_of({"f32", 1e9, kNaN, 10e-3});
  EXPECT_NEAR(share.share, 1, 1e-12);
  EXPECT_TRUE(std::isinf(share.intensity));
}

TEST(Roofline, FasterThanTheRoofIsToldAsItIs) {
  EXPECT_NEAR(share_of({"f32", 1e9, 0, 5e-3}).share, 2, 1e-12);
}

// Memory was measured with 1e6 bytes, so of 3e6 at least 2e6 come from there or go there: at 10 GB/s 0.2
// ms.
TEST(Roofline, OfTheLeastBytesThoseThatCachesMayHoldDoNotCount) {
  const auto share = share_of_least(example(), {"f32", 1e15, 3e6, 0.1e-3}, {.bytes = true});
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->share, 2, 1e-12);
  EXPECT_NEAR(share->roof_seconds, 0.2e-3, 1e-15);
  EXPECT_EQ(share->roof, "memory bandwidth");
  EXPECT_EQ(share->bound, Bound::memory);
  EXPECT_FALSE(share_of_least(example(), {"f32", 0, 1e6, 1e-9}, {.bytes = true})) << "all of it fits";
  EXPECT_FALSE(share_of_least(example(), {"f32", 0, 3e6, 1e-9}, {})) << "nothing is the least";
  // An L3 that was measured with 250,000 bytes has 500,000: all caches at most twice as much, and that
  // twice.
  Roofs larger = example();
  larger.add_level({"L3", 250000, {20, "read", 'A'}});
  larger.levels.front().bytes = 1.5e6;
  ASSERT_EQ(larger.levels.front().name, kMemory);
  EXPECT_FALSE(share_of_least(larger, {"f32", 0, 2e6, 1e-9}, {.bytes = true}));
  EXPECT_NEAR(share_of_least(larger, {"f32", 0, 3e6, 0.1e-3}, {.bytes = true})->share, 1, 1e-12);
}

// 1e9 operations take 10 ms in f32, but 2.5 ms in s8, which a tolerance may permit.
TEST(Roofline, TheLeastOperationsAreHeldAgainstTheFastestPeakOfAnyType) {
  const Call call{"", 1e9, 0, 1e-3};
  const auto share = share_of_least(example(), call, {.flops = true});
  ASSERT_TRUE(share);
  EXPECT_NEAR(share->share, 2.5, 1e-12);
  EXPECT_EQ(share->roof, "s8 peak");
  EXPECT_FALSE(share_of_least(example(), {"f32", kNaN, 0, 1e-3}, {.flops = true}));
  EXPECT_FALSE(share_of_least({}, call, {true, true}));
  // The one of both that needs more time: 9e6 bytes without 1e6 take 0.8 ms.
  EXPECT_EQ(share_of_least(example(), {"", 1e9, 9e6, 1e-3}, {true, true})->roof, "s8 peak");
  EXPECT_EQ(share_of_least(example(), {"", 1e8, 9e6, 1e-3}, {true, true})->roof, "memory bandwidth");
}

TEST(Roofline, ADoubtfulRoofAndAGpuShowNothingToBeImpossible) {
  Roofs doubted = example();
  doubted.levels.front().limit.grade = 'C';
  doubted.peaks.at("s8").grade = 'C';
  const Call call{"f32", 1e9, 3e6, 1e-6};
  EXPECT_FALSE(share_of_least(doubted, call, {true, true}));
  Call on_gpu = call;
  on_gpu.on_gpu = true;
  EXPECT_TRUE(share_of_least(example(), call, {true, true}));
  EXPECT_FALSE(share_of_least(example(), on_gpu, {true, true}));
  EXPECT_FALSE(share_of_least(example(), {"f32", 1e9, 3e6, kNaN}, {true, true}));
}

TEST(Roofline, UnsignedBytesHaveThePeakOfSignedOnes) {
  // 4e8 operations at 400e9: 1 ms.
  for (const char* as_s8 : {"u8", "f8e4m3", "f8e5m2"})
    EXPECT_NEAR(share_of({as_s8, 4e8, 0, 2e-3}).share, 0.5, 1e-12) << as_s8;
}

TEST(Roofline, WhatIsMissingIsNamed) {
  EXPECT_THAT(why_not({"", 1e9, 1e6, 1e-3}), IsGolden());
  EXPECT_THAT(why_not({"f16", 1e9, 1e6, 1e-3}), IsGolden());
  EXPECT_THAT(why_not({"f32", 0, 0, 1e-3}), IsGolden());
  EXPECT_THAT(why_not({"f32", kNaN, kNaN, 1e-3}), IsGolden());
  EXPECT_THAT(why_not({"f32", 1e9, 1e6, 0}), IsGolden());
  EXPECT_THAT(why_not({"f32", 1e9, 1e6, kNaN}), IsGolden());
  Roofs caches;
  caches.add_peak("f32", {100, "avx2", 'A'});
  caches.add_level({"L1", 1000, {200, "read", 'A'}});
  EXPECT_THAT(why_not({"f32", 1e9, 2001, 1e-3}, caches), IsGolden());
  EXPECT_THAT(why_not({"f32", 1e9, 100, 1e-3, true}, caches), IsGolden());
  EXPECT_THAT(why_not({"f32", 1e9, 1e6, 1e-3}, {}), IsGolden());
}

TEST(Roofline, TheBestThatWasReachedIsTheRoof) {
  Roofs roofs;
  roofs.add_peak("f32", {50, "plain", 'B'});
  roofs.add_peak("f32", {100, "avx2", 'A'});
  roofs.add_peak("f32", {99, "avx512", 'A'});
  EXPECT_EQ(roofs.peaks.at("f32").by, "avx2");
  roofs.add_level({"L1", 1000, {5, "copy", 'A'}});
  roofs.add_level({"L1", 900, {7, "read", 'A'}});
  roofs.add_level({"L1", 800, {6, "triad", 'A'}});
  ASSERT_EQ(roofs.levels.size(), 1U);
  EXPECT_EQ(roofs.levels[0].bytes, 900);
  EXPECT_EQ(roofs.levels[0].limit.by, "read");
}

}  // namespace
}  // namespace kernsweep
