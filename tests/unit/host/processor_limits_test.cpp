// Limits that no kernel can exceed: rates of correct kernels are below, for any algorithm.
#include "worker/host/processor_limits.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

const ProcessorLimits kAvx512 = limits_of({512, true, false}), kAmx = limits_of({512, true, true});

double times_above(CallRate call, const ProcessorLimits& limits = kAvx512) {
  const auto above = above_limit(call, limits);
  return above ? above->times : 1;
}

TEST(ProcessorLimits, FollowFromTheInstructions) {
  EXPECT_EQ(kAvx512.f64, 64);
  EXPECT_EQ(kAvx512.f32, 128);
  EXPECT_EQ(kAvx512.narrow, 512);
  EXPECT_EQ(limits_of({256, false, false}).f32, 32);
  EXPECT_EQ(kAmx.narrow, 4096);
  EXPECT_GE(limits_of_this_processor().f32, 16);
}

// 128 operations x 6 GHz are 768 GFLOP/s.
TEST(ProcessorLimits, ARateIsComparedWithThatOfItsArithmetic) {
  const CallRate call{.flops = 8e12, .seconds = 1, .cores = 1, .arithmetic = Arithmetic::f32};
  EXPECT_NEAR(times_above(call), 8e12 / 768e9, 1e-9);
  EXPECT_EQ(above_limit(call, kAvx512)->text,
            "8000 GFLOP/s in f32 on 1 core, which can do 768 at most (128 operations a cycle, 6 GHz)");
  EXPECT_EQ(times_above({.flops = 8e12, .seconds = 1, .cores = 11, .arithmetic = Arithmetic::f32}), 1);
  EXPECT_NEAR(times_above({.flops = 8e12, .seconds = 1}), 8 / 3.072, 1e-9) << "s8 on the same core";
  EXPECT_EQ(times_above({.flops = 8e12, .seconds = 1}, kAmx), 1);
}

// Seen: 1,528 GFLOP/s of bf16 with AMX and 235 of f32 on a core of a Xeon. Winograd's algorithm does 2.25
// times the products that a core can do, at 4 GHz and 64 a cycle, if it were as efficient as they are.
TEST(ProcessorLimits, HonestRatesAreBelow) {
  EXPECT_EQ(times_above({.flops = 1528e9, .seconds = 1}, kAmx), 1);
  EXPECT_EQ(times_above({.flops = 235e9, .seconds = 1, .arithmetic = Arithmetic::f32}), 1);
  EXPECT_EQ(times_above({.flops = 2.25 * 64 * 4e9, .seconds = 1, .arithmetic = Arithmetic::f32}), 1);
}

TEST(ProcessorLimits, BytesComeFromTheCachesUnlessTheyDoNotFit) {
  CallRate call{
      .bytes = 64e6, .seconds = 1e-4, .cores = 2, .operand_bytes = 65e6, .cache_bytes = 32'000'000};
  EXPECT_EQ(times_above(call), 1) << "640 GB/s of caches";
  call.bytes = 65e6;
  EXPECT_NEAR(times_above(call), 650.0 / 400, 1e-9) << "of memory";
  call.operand_bytes = 64e6;
  EXPECT_EQ(times_above(call), 1) << "an array that is read twice";
  call.operand_bytes = 65e6;
  call.cache_bytes = 0;
  EXPECT_EQ(times_above(call), 1) << "not known";
  call.seconds = 1e-6;
  EXPECT_NEAR(times_above(call), 65e12 / (3 * 64 * 2 * 6e9), 1e-9);
}

}  // namespace
}  // namespace kernsweep
