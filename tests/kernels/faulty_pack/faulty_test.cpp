// The faulty pack itself: a fault that does not happen would let tests of slots and workers pass for
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/golden_text/places.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

const ks_family& faulty() {
  return family_of(open_pack(build_folder() + "/tests/packs/faulty.so"), "faulty");
}

// What a process that only measures this variant leaves behind.
std::string end_of(const std::string& variant) {
  return in_child([&]() -> std::string {
    if (std::freopen("/dev/null", "w", stderr) == nullptr) return "no /dev/null";
    return "status " + std::to_string(measure(faulty(), variant, {}).status);
  });
}

TEST(FaultyPack, GoodIsGood) {
  EXPECT_EQ(mismatch_with_reference(faulty(), "good", {}), "");
  EXPECT_EQ(mismatch_with_reference(faulty(), "good", settings({{"n", 1}})), "");
}

TEST(FaultyPack, WrongAndNanDifferFromTheReference) {
  EXPECT_NE(mismatch_with_reference(faulty(), "wrong", {}), "");
  EXPECT_NE(mismatch_with_reference(faulty(), "nan", {}), "");
}

TEST(FaultyPack, FlakyIsRightOnceAndWrongFromThenOn) {
  EXPECT_EQ(mismatch_with_reference(faulty(), "flaky", {}, {.runs = 1}), "");
  EXPECT_NE(mismatch_with_reference(faulty(), "flaky", {}, {.runs = 2}), "");
}

TEST(FaultyPack, RefusalsAndFailuresAreSaidWhereTheyBelong) {
  std::string why;
  EXPECT_EQ(can_run(faulty(), "refuse", {}, why), KS_UNSUPPORTED);
  EXPECT_NE(why, "");
  const Measured failed = measure(faulty(), "fail_run", {});
  EXPECT_EQ(failed.status, KS_FAILED);
  EXPECT_EQ(failed.failed_in, "run");
  EXPECT_EQ(can_run(faulty(), "good", settings({{"n", 0}}), why), KS_BAD_PARAMETER);
}

TEST(FaultyPack, AfterALostDeviceNothingWorks) {
  EXPECT_EQ(in_child([] {
              const Measured lost = measure(faulty(), "lose_device", {});
              return std::to_string(lost.status) + " " + measure(faulty(), "good", {}).failed_in;
            }),
            "5 prepare");
}

TEST(FaultyPack, FillingMemoryStopsAtItsOwnLimitAndSaysThatNothingHappened) {
  const Measured measured = measure(faulty(), "fill_memory", settings({{"fill_bytes_max", 33554432}}));
  EXPECT_EQ(measured.status, KS_FAILED);
}

TEST(FaultyPack, EveryDeadlyVariantIsDeadly) {
  for (const char* variant :
       {"crash_run", "crash_prepare", "abort", "exit", "overrun", "write_input", "noisy_stderr"}) {
    EXPECT_THAT(end_of(variant), ::testing::StartsWith("died: ")) << variant;
  }
  EXPECT_EQ(end_of("good"), "status 0");
}

}  // namespace
}  // namespace kernsweep::testing
