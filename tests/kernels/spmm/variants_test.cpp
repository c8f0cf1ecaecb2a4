// Every variant of spmm against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "tests/kernels/spmm/spmm_points.hpp"

namespace kernsweep::testing {
namespace {

struct Shape {
  int m, n, k;
  double sparsity;
  int block;
};

// Columns of B around the 4, 8 and 16 lanes of a vector and the strips of 1 to 8 vectors; blocks that the
// matrix does not end with; rows without an element; one; nothing.
constexpr Shape kShapes[] = {
    {1, 1, 1, 0, 1},        {7, 3, 11, 0.5, 1},    {13, 4, 17, 0.9, 1},   {31, 15, 37, 0.8, 1},
    {9, 16, 40, 0.5, 1},    {20, 17, 23, 0.7, 1},  {33, 33, 64, 0.9, 1},  {16, 77, 50, 0.6, 1},
    {5, 128, 29, 0.3, 1},   {11, 200, 19, 0.5, 1}, {64, 20, 64, 0.99, 1}, {40, 9, 100, 0.999, 1},
    {16, 16, 16, 0.5, 4},   {17, 19, 18, 0.5, 4},  {30, 70, 45, 0.7, 8},  {50, 5, 33, 0.6, 16},
    {33, 130, 65, 0.5, 32}, {3, 31, 5, 0.2, 128},  {66, 40, 70, 0.4, 2},  {23, 24, 25, 0.5, 3},
    {0, 5, 5, 0.5, 1},      {5, 0, 5, 0.5, 1},     {5, 20, 0, 0.5, 1},    {0, 0, 0, 0.5, 4},
    {40, 48, 40, 0.95, 8},  {300, 70, 90, 0.5, 1}, {250, 1, 200, 0.4, 1},
};

Settings set_of(const Shape& shape) {
  return spmm_of(shape.m, shape.n, shape.k, shape.sparsity, shape.block);
}

std::string text_of(const Shape& shape) {
  return std::to_string(shape.m) + " x " + std::to_string(shape.k) + " times " + std::to_string(shape.n) +
         " block " + std::to_string(shape.block);
}

struct SpmmWay {
  const char* name;
  const char* variant;
  Settings set;

  // Otherwise the bytes of our pointers are part of the test's name, other ones in each process.
  friend void PrintTo(const SpmmWay& way, std::ostream* out) { *out << way.name; }
};

class SpmmEveryShape : public ::testing::TestWithParam<SpmmWay> {};

TEST_P(SpmmEveryShape, AgreesWithTheReferenceOnOneToThreeThreads) {
  const SpmmWay& way = GetParam();
  if (!can_run_at_all(way.variant, way.set)) GTEST_SKIP() << "this build or processor lacks what it needs";
  for (const int threads : {1, 2, 3}) {
    if (!can_run_at_all(way.variant, way.set, threads)) continue;
    for (const Shape& shape : kShapes) {
      Settings set = way.set;
      set.merge(set_of(shape));
      EXPECT_EQ(mismatch_with_reference(spmm(), way.variant, set, {.threads = threads}), "")
          << text_of(shape) << " threads " << threads;
    }
  }
}

std::string name_of_spmm_way(const ::testing::TestParamInfo<SpmmWay>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    All, SpmmEveryShape,
    ::testing::Values(
        SpmmWay{"csr", "csr", {}}, SpmmWay{"csr_baseline", "csr", settings({{"isa", "baseline"}})},
        SpmmWay{"csr_avx2", "csr", settings({{"isa", "avx2"}})},
        SpmmWay{"csr_avx512f", "csr", settings({{"isa", "avx512f"}})}, SpmmWay{"bsr", "bsr", {}},
        SpmmWay{"bsr_baseline", "bsr", settings({{"isa", "baseline"}})},
        SpmmWay{"bsr_avx2", "bsr", settings({{"isa", "avx2"}})},
        SpmmWay{"bsr_avx512f", "bsr", settings({{"isa", "avx512f"}})},
        SpmmWay{"bsr_of_1", "bsr", settings({{"format_block", 1}})},
        SpmmWay{"bsr_of_7", "bsr", settings({{"format_block", 7}})},
        SpmmWay{"bsr_of_64", "bsr", settings({{"format_block", 64}})}, SpmmWay{"eigen", "eigen", {}},
        SpmmWay{"eigen_baseline", "eigen", settings({{"isa", "baseline"}})},
        SpmmWay{"eigen_avx2", "eigen", settings({{"isa", "avx2"}})},
        SpmmWay{"eigen_avx512f", "eigen", settings({{"isa", "avx512f"}})}, SpmmWay{"dense", "dense", {}}),
    name_of_spmm_way);

TEST(SpmmVariants, BitsOfOursDependOnNeitherThreadsNorCalls) {
  for (const Shape& shape : kShapes)
    for (const std::string& variant : able({"csr", "bsr", "eigen"}, 3)) {
      const Measured once = measure(spmm(), variant, set_of(shape), {.runs = 1});
      const Measured again = measure(spmm(), variant, set_of(shape), {.threads = 3, .runs = 3});
      ASSERT_EQ(once.status, KS_OK) << once.why;
      EXPECT_TRUE(same_bits(once, again)) << variant << " " << text_of(shape);
    }
}

// Their reports are counts in the actual matrix.
TEST(SpmmVariants, ReportTheElementsThatAreThere) {
  const Settings set = spmm_of(40, 20, 30, 0.75, 4);
  const auto inputs = inputs_as_doubles(spmm(), set);
  ASSERT_EQ(inputs.size(), 3U);
  ASSERT_EQ(inputs[1].size(), 10U * 8U);
  double kept = 0;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 30; ++j)
      kept += inputs[1][static_cast<std::size_t>(i / 4 * 8 + j / 4)] != 0 ? 1 : 0;
  ASSERT_GT(kept, 100);
  for (const std::string& variant : able({"csr", "bsr", "dense", "eigen", "naive"})) {
    const Measured measured = measure(spmm(), variant, set);
    ASSERT_TRUE(measured.work.has_value()) << variant;
    EXPECT_EQ(measured.work->flops, 2 * kept * 20) << variant;
  }
  const double operands = 4.0 * 20 * (40 + 30);
  EXPECT_EQ(measure(spmm(), "csr", set).work->bytes, 8 * kept + 4 * 41 + operands);
  EXPECT_EQ(measure(spmm(), "dense", set).work->bytes, 4 * 40 * 30 + operands);
}

// One row of A that is far smaller than all others.
TEST(SpmmVariants, ZerosInPlaceOfTheSmallestRowAreWrong) {
  constexpr int kRows = 24, kColumns = 32, kDepth = 48, kSmall = 5;
  const Settings set = spmm_of(kRows, kColumns, kDepth, 0.5, 1);
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    const double phase = static_cast<double>(index + 1) * (input == "a" ? 0.7390851 : 0.5671432);
    const double value = 2 * (phase - std::floor(phase)) - 1;
    if (input == "a" && index % 3 == 0) return 0.0;
    return input == "a" && index / kDepth == kSmall ? std::ldexp(value, -40) : value;
  };
  const Measured right = measure(spmm(), "naive", set, options);
  ASSERT_EQ(right.values.size(), static_cast<std::size_t>(kRows * kColumns)) << right.why;
  Measured zeroed = right;
  std::fill_n(zeroed.values.begin() + kSmall * kColumns, kColumns, 0);
  EXPECT_EQ(difference(right, right, tolerance_of(spmm(), set)), "");
  EXPECT_NE(difference(zeroed, right, tolerance_of(spmm(), set)), "");
  for (const std::string& variant : able({"csr", "bsr", "dense", "eigen"}))
    EXPECT_EQ(mismatch_with_reference(spmm(), variant, set, options), "") << variant;
}

// Errors of a dropped element or block would be far larger than this share of the tolerance.
TEST(SpmmVariants, TheTolerancesAreNotWide) {
  const Settings set = spmm_of(200, 64, 300, 0.8, 1);
  ks_tolerance tolerance = tolerance_of(spmm(), set);
  tolerance.relative /= 2;
  const Measured right = measure(spmm(), "naive", set);
  for (const std::string& variant : able({"csr", "bsr", "dense", "eigen"}))
    EXPECT_EQ(difference(measure(spmm(), variant, set), right, tolerance), "") << variant;
}

TEST(SpmmVariants, EachSaysSoWhenTheHostHasNoMemory) {
  for (const std::string& variant : able({"csr", "bsr", "dense", "eigen", "naive"})) {
    const Measured measured = measure(spmm(), variant, spmm_of(64, 64, 64, 0.5, 1), {.bytes_max = 4096});
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
    EXPECT_EQ(measured.failed_in, "prepare") << variant;
  }
}

TEST(SpmmVariants, EachTellsWhatItReallyRanOn) {
  const Settings set = with(spmm_of(16, 16, 16, 0.5, 4), {{"isa", "baseline"}});
  const auto told = told_in(measure(spmm(), "bsr", set, {.threads = 2}).runtime);
  EXPECT_EQ(told.at("isa"), "baseline");
  EXPECT_EQ(told.at("threads"), "2");
  EXPECT_EQ(told.at("block"), "4");
  EXPECT_EQ(told.at("filled"), "1.000");
  EXPECT_THAT(measure(spmm(), "dense", set).runtime, ::testing::StartsWith("OpenBLAS "));
  if (can_run_at_all("eigen")) {
    EXPECT_THAT(measure(spmm(), "eigen", set).runtime,
                ::testing::MatchesRegex("Eigen [.0-9]+ isa=baseline threads=1"));
  }
}

}  // namespace
}  // namespace kernsweep::testing
