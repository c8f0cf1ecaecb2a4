// noop and sleep: the packs that compute nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

const ks_family& noop() {
  return family_of(open_pack("noop"), "noop");
}
const ks_family& sleeping() {
  return family_of(open_pack("sleep"), "sleep");
}

double seconds_of_one_life(double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  const Measured measured = measure(sleeping(), "sleep", settings({{"seconds", seconds}}), {.runs = 1});
  EXPECT_EQ(measured.status, KS_OK) << measured.why;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(Noop, AcceptsParametersOfAnyOtherFamily) {
  EXPECT_EQ(noop().any_params, 1);
  const Measured measured = measure(noop(), "noop", settings({{"m", 3}, {"dtype", "f32"}, {"op", true}}));
  EXPECT_EQ(measured.status, KS_OK) << measured.failed_in << ": " << measured.why;
}

TEST(Noop, NeedsNothingAndGivesNothing) {
  std::vector<ks_input> inputs;
  std::string why;
  EXPECT_EQ(inputs_of(noop(), {}, inputs, why), KS_OK);
  EXPECT_TRUE(inputs.empty());
  EXPECT_EQ(work_of(noop(), {}).flops, 0);
  EXPECT_EQ(work_of(noop(), {}).bytes, 0);
  EXPECT_TRUE(measure(noop(), "noop", {}).values.empty());
}

TEST(Noop, HasOneVariantAndNothingToVerify) {
  EXPECT_THAT(names_of_variants(noop()), ::testing::ElementsAre("noop"));
  EXPECT_EQ(noop().reference, nullptr);
}

TEST(Sleep, ARunNeverEndsBeforeItsTime) {
  EXPECT_GE(seconds_of_one_life(0.03), 0.03);
}

TEST(Sleep, ZeroSecondsIsARun) {
  EXPECT_LT(seconds_of_one_life(0.0), 30.0);
}

TEST(Sleep, AWholeNumberOfSecondsIsANumber) {
  EXPECT_EQ(measure(sleeping(), "sleep", settings({{"seconds", 0}})).status, KS_OK);
}

TEST(Sleep, RefusesNegativeTimesTimesBeyondADayAndNoTimeAtAll) {
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const double seconds : {-0.001, 86401.0, 1e300, not_a_number}) {
    std::string why;
    EXPECT_EQ(can_run(sleeping(), "sleep", settings({{"seconds", seconds}}), why), KS_BAD_PARAMETER)
        << seconds;
    EXPECT_THAT(why, IsGolden()) << seconds;
  }
  std::string why;
  EXPECT_EQ(can_run(sleeping(), "sleep", settings({{"seconds", "soon"}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(can_run(sleeping(), "sleep", {}, why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
}

}  // namespace
}  // namespace kernsweep::testing
