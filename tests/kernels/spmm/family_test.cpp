// What the family requires, counts and rejects, for any variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/spmm/spmm_points.hpp"

namespace kernsweep::testing {
namespace {

std::string refusal(const Settings& set, ks_status status = KS_BAD_PARAMETER, const char* variant = "csr") {
  std::string why;
  EXPECT_EQ(can_run(spmm(), variant, set, why), status);
  return why;
}

TEST(SpmmFamily, WhatCannotBeIsRefusedByName) {
  EXPECT_THAT(refusal(spmm_of(-1, 4, 4, 0.5, 1)), IsGolden());
  EXPECT_THAT(refusal(spmm_of(4, 4, 4, 1.0, 1)), IsGolden());
  EXPECT_THAT(refusal(spmm_of(4, 4, 4, -0.1, 1)), IsGolden());
  EXPECT_THAT(refusal(spmm_of(4, 4, 4, 0.5, 0)), IsGolden());
  EXPECT_THAT(refusal(settings({{"m", 4}, {"k", 4}})), IsGolden());
  EXPECT_THAT(refusal(settings({{"m", 4}, {"n", 4}})), IsGolden());
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  EXPECT_THAT(refusal(settings({{"m", kHuge}, {"n", kHuge}, {"k", 1}})), IsGolden());
  EXPECT_THAT(refusal(settings({{"m", kHuge >> 8}, {"n", 1}, {"k", 1}})), IsGolden());
}

TEST(SpmmFamily, ItsOperandsHaveThePattern) {
  std::vector<ks_input> inputs;
  std::string why;
  ASSERT_EQ(inputs_of(spmm(), spmm_of(10, 3, 9, 0.75, 4), inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_STREQ(inputs[1].name, "mask");
  EXPECT_EQ(inputs[1].shape[0], 3);
  EXPECT_EQ(inputs[1].shape[1], 3);
  EXPECT_EQ(inputs[1].density, 0.25);
  EXPECT_EQ(inputs[0].density, 1);
  ASSERT_EQ(inputs_of(spmm(), spmm_of(10, 3, 9, 0.75, 1), inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0].density, 0.25);
}

TEST(SpmmFamily, CountsWhatIsExpectedToBeKept) {
  const ks_work work = work_of(spmm(), spmm_of(100, 8, 50, 0.9, 1));
  EXPECT_EQ(work.flops, 2 * 500 * 8);
  EXPECT_NEAR(work.bytes, 8 * 500 + 4 * 101 + 4 * 8 * (100 + 50), 1e-6);
}

TEST(SpmmFamily, RowsOfManyResultsHaveAScaleOfTheirOwn) {
  EXPECT_EQ(tolerance_of(spmm(), spmm_of(10, 16, 64, 0.5, 1)).scale_dims, 1);
  EXPECT_EQ(tolerance_of(spmm(), spmm_of(10, 16, 64, 0.5, 1)).relative, 32 * 0x1p-24);
  EXPECT_EQ(tolerance_of(spmm(), spmm_of(10, 15, 64, 0.5, 1)).scale_dims, 0);
  EXPECT_EQ(tolerance_of(spmm(), spmm_of(10, 15, 64, 0.5, 1)).absolute, 64 * 0x1p-24);
}

}  // namespace
}  // namespace kernsweep::testing
