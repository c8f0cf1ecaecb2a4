// roof: every loop of every instruction set does exactly the work that it is counted for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

const ks_family& roof() {
  return family_of(open_pack("roof"), "roof");
}

// Empty where this processor has no such instructions, and says so.
std::string mismatch(const char* variant, const Settings& set, int threads) {
  std::string why;
  const ks_status status = can_run(roof(), variant, set, why);
  if (status == KS_UNSUPPORTED && !why.empty()) return "";
  if (status != KS_OK) return "can_run: " + why;
  return mismatch_with_reference(roof(), variant, set, {.threads = threads});
}

// Each round adds the same to each sum, so a sum over rounds and step is exactly 1, and 1 only if no round
// was left out. 1, 1535 and 1536 operations are one block; 4607 and 4608 are three, which two threads
// cannot share equally; seven threads leave some without work.
TEST(Roof, EveryChainCountsEveryRoundInEveryTypeAndThreadCount) {
  for (const char* variant : {"avx512", "avx2", "plain"})
    for (const char* dtype : {"f64", "f32", "bf16", "s8"})
      for (const int operations : {1, 1535, 1536, 4607, 4608, 1000000})
        for (const int threads : {1, 2, 7}) {
          const Settings set = settings({{"op", "fma"}, {"dtype", dtype}, {"operations", operations}});
          EXPECT_EQ(mismatch(variant, set, threads), "")
              << variant << " " << dtype << " " << operations << " operations, " << threads << " threads";
        }
}

// 2^24 is where an f32 sum stops counting; 2^30 operations are 2^30 / 96 < 2^24 rounds of the narrowest
// chain.
TEST(Roof, TheLargestWorkOfAThreadIsStillCountedExactlyInF32) {
  const Settings set = settings({{"op", "fma"}, {"dtype", "f32"}, {"operations", 1 << 30}});
  const Measured measured = measure(roof(), "plain", set, {.runs = 1});
  ASSERT_EQ(measured.status, KS_OK) << measured.why;
  EXPECT_THAT(measured.values, ElementsAre(1, 1));
}

TEST(Roof, MoreThanCanBeCountedIsRefused) {
  // One block of 1536 beyond 2^30 / 1536 blocks for one thread; two threads may have it.
  const Settings set = settings({{"op", "fma"}, {"operations", (std::int64_t{1} << 30) + 1536}});
  const Measured one = measure(roof(), "plain", set, {.runs = 1});
  EXPECT_EQ(one.status, KS_BAD_PARAMETER);
  EXPECT_THAT(one.why, IsGolden());
  EXPECT_EQ(measure(roof(), "plain", set, {.threads = 2, .runs = 1}).status, KS_OK);
}

// Sizes around an element, a line (8), the unrolled loop (64 elements with AVX-512) and more threads than
// lines.
TEST(Roof, ReadingMeetsEveryElementInEveryPass) {
  for (const char* variant : {"avx512", "avx2", "plain"})
    for (const int elements : {1, 7, 8, 9, 63, 64, 65, 1000, 4099})
      for (const int passes : {1, 3})
        for (const int threads : {1, 2, 3}) {
          const Settings set = settings({{"op", "read"}, {"bytes", 8 * elements}, {"passes", passes}});
          EXPECT_EQ(mismatch(variant, set, threads), "") << variant << " " << elements << " elements "
                                                         << passes << " passes " << threads << " threads";
        }
}

TEST(Roof, CopyAndTriadWriteEveryElement) {
  for (const char* op : {"copy", "triad"})
    for (const bool non_temporal : {false, true})
      for (const int elements : {1, 8, 9, 65, 4099})
        for (const int threads : {1, 2, 3}) {
          const int arrays = op == std::string("copy") ? 2 : 3;
          const Settings set = settings({{"op", op},
                                         {"bytes", 8 * arrays * elements},
                                         {"passes", 2},
                                         {"non_temporal", non_temporal}});
          EXPECT_EQ(mismatch("stream", set, threads), "")
              << op << " " << elements << " elements " << threads << " threads";
        }
}

TEST(Roof, TriadLeavesOnePlusThreeTimesTwo) {
  const Measured measured = measure(roof(), "stream", settings({{"op", "triad"}, {"bytes", 2400}}));
  EXPECT_THAT(measured.values, ElementsAre(7, 7));
}

TEST(Roof, WorkIsCountedForAllThreadsAndPasses) {
  // 1000 operations are rounded up to one block.
  EXPECT_EQ(work_of(roof(), settings({{"op", "fma"}, {"operations", 1000}})).flops, 1536);
  EXPECT_EQ(work_of(roof(), settings({{"op", "fma"}, {"operations", 1000}})).bytes, 0);
  // 100 elements, 3 passes.
  const auto work = [](const char* op, int bytes) {
    return work_of(roof(), settings({{"op", op}, {"bytes", bytes}, {"passes", 3}}));
  };
  EXPECT_EQ(work("read", 800).bytes, 2400);
  EXPECT_EQ(work("read", 800).flops, 300);
  EXPECT_EQ(work("copy", 1600).bytes, 4800);
  EXPECT_EQ(work("copy", 1600).flops, 0);
  EXPECT_EQ(work("triad", 2400).bytes, 7200);
  EXPECT_EQ(work("triad", 2400).flops, 600);
  // A rest smaller than an element of each array is ignored: 2407 bytes are 100 elements of three arrays.
  EXPECT_EQ(work("triad", 2407).bytes, 7200);
}

TEST(Roof, RefusesWhatIsNone) {
  std::string why;
  for (const char* name : {"operations", "bytes", "passes"})
    for (const std::int64_t value : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 43}) {
      EXPECT_EQ(can_run(roof(), "plain", settings({{name, value}}), why), KS_BAD_PARAMETER) << name;
      EXPECT_THAT(why, IsGolden());
    }
  EXPECT_EQ(can_run(roof(), "plain", settings({{"op", "write"}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(can_run(roof(), "stream", settings({{"op", "triad"}, {"bytes", 23}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
}

TEST(Roof, WhatAVariantCannotDoIsUnsupportedAndSaysWhoCan) {
  std::string why;
  EXPECT_EQ(can_run(roof(), "plain", settings({{"dtype", "s8"}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  for (const char* dtype : {"tf32", "f16"}) {
    EXPECT_EQ(can_run(roof(), "avx512", settings({{"dtype", dtype}}), why), KS_UNSUPPORTED);
    EXPECT_THAT(why,
                ::testing::AnyOf(::testing::HasSubstr("the variant cuda"), ::testing::HasSubstr("AVX-512")))
        << dtype;
  }
  EXPECT_EQ(can_run(roof(), "plain", settings({{"op", "copy"}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(roof(), "stream", settings({{"op", "fma"}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(roof(), "plain", settings({{"op", "read"}, {"dtype", "f32"}}), why), KS_UNSUPPORTED);
}

TEST(Roof, SaysSoWhenTheHostHasNoMemory) {
  for (const auto& [variant, op] : {std::pair{"plain", "read"}, {"stream", "copy"}}) {
    const Measured measured =
        measure(roof(), variant, settings({{"op", op}, {"bytes", 100000}}), {.bytes_max = 4096});
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
    EXPECT_EQ(measured.failed_in, "prepare") << variant;
  }
}

}  // namespace
}  // namespace kernsweep::testing
