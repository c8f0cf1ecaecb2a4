// The reference against numbers worked out by hand, and against a product computed here by the definition
// alone. Everything else is verified by the reference, so it must stand on something else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <tuple>

#include "tests/kernels/gemm/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

// A = 1 2 3    B = 7 8     A counts up from 1, B from 7.
//     4 5 6        9 10
//                  11 12
double counting_up(const std::string& input, std::int64_t index) {
  return static_cast<double>(index + (input == "a" ? 1 : 7));
}

HostOptions counting() {
  HostOptions options;
  options.element = counting_up;
  return options;
}

// The problem: sizes, types, the epilogue, and the layout of the given matrices.
TEST(GemmReference, EveryParameterOfTheFamilyIsTheProblem) {
  EXPECT_THAT(names_in(gemm().settings), ElementsAre());
}

TEST(GemmReference, MultipliesAMatrixWorkedOutByHand) {
  // 1*7+2*9+3*11 = 58, 1*8+2*10+3*12 = 64, 4*7+5*9+6*11 = 139, 4*8+5*10+6*12 = 154
  for (const char* dtype : {"f32", "f64", "tf32", "bf16", "f16", "f8e4m3", "s8"}) {
    const Measured c = measure(gemm(), "naive", product(2, 2, 3, dtype), counting());
    ASSERT_EQ(c.status, KS_OK) << c.why;
    EXPECT_THAT(c.values, ElementsAre(58, 64, 139, 154)) << dtype;
  }
}

// f8e5m2 has no 9: both operands count up from 1. 1*1+2*3+3*5 = 22, 1*2+2*4+3*6 = 28, 49, 64.
TEST(GemmReference, MultipliesTheShortestFloatsToo) {
  HostOptions options;
  options.element = [](const std::string&, std::int64_t index) { return static_cast<double>(index + 1); };
  const Measured c = measure(gemm(), "naive", product(2, 2, 3, "f8e5m2"), options);
  ASSERT_EQ(c.status, KS_OK) << c.why;
  EXPECT_THAT(c.values, ElementsAre(22, 28, 49, 64));
}

// 1 + 2^-20 has more than the 10 bits of fraction that the arithmetic of tf32 may keep.
TEST(GemmReference, RoundsNoOperandOfTf32) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t) { return input == "a" ? 1 + 0x1p-20 : 1.0; };
  EXPECT_THAT(measure(gemm(), "naive", product(1, 1, 1, "tf32"), options).values, ElementsAre(1 + 0x1p-20));
}

TEST(GemmReference, ReadsATransposedOperandColumnByColumn) {
  // A is stored 3 x 2: 1 2 / 3 4 / 5 6, so op(A) = 1 3 5 / 2 4 6.
  // 1*7+3*9+5*11 = 89, 1*8+3*10+5*12 = 98, 2*7+4*9+6*11 = 116, 2*8+4*10+6*12 = 128
  const Measured a = measure(gemm(), "naive", with(product(2, 2, 3), {{"trans_a", "t"}}), counting());
  EXPECT_THAT(a.values, ElementsAre(89, 98, 116, 128));
  // B is stored 2 x 3: 7 8 9 / 10 11 12, so op(B) = 7 10 / 8 11 / 9 12.
  // 1*7+2*8+3*9 = 50, 1*10+2*11+3*12 = 68, 4*7+5*8+6*9 = 122, 4*10+5*11+6*12 = 167
  const Measured b = measure(gemm(), "naive", with(product(2, 2, 3), {{"trans_b", "t"}}), counting());
  EXPECT_THAT(b.values, ElementsAre(50, 68, 122, 167));
}

TEST(GemmReference, SkipsWhatLiesBetweenRows) {
  // lda 4: rows of A begin at 1 and 5: 1 2 3 (4) / 5 6 7 (8). ldb 3: rows of B 7 8 (9) / 10 11 (12) / 13 14
  // (15). 1*7+2*10+3*13 = 66, 1*8+2*11+3*14 = 72, 5*7+6*10+7*13 = 186, 5*8+6*11+7*14 = 204
  const Measured c =
      measure(gemm(), "naive", with(product(2, 2, 3), {{"lda", 4}, {"ldb", 3}, {"ldc", 7}}), counting());
  EXPECT_THAT(c.values, ElementsAre(66, 72, 186, 204));
}

TEST(GemmReference, MultipliesEachBatchByItself) {
  // Batch 0: 1 * 7 and batch 1: 2 * 8.
  const Measured c = measure(gemm(), "naive", with(product(1, 1, 1), {{"batch", 2}}), counting());
  EXPECT_THAT(c.shape, ElementsAre(2, 1, 1));
  EXPECT_THAT(c.values, ElementsAre(7, 16));
}

TEST(GemmReference, KeepsWhatFloatWouldLose) {
  // 1 + 2^-40 twice: f32 accumulation would lose the 2^-40.
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    return input == "a" ? 1.0 : index == 0 ? 1.0 : 0x1p-40;
  };
  const Measured c = measure(gemm(), "naive", product(1, 1, 2), options);
  EXPECT_EQ(c.dtype, KS_F64);
  EXPECT_EQ(c.values[0], 1.0 + 0x1p-40);
}

TEST(GemmReference, SumsTheLargestIntegersExactly) {
  // The deepest sum that is allowed: 131071 * 128 * 128 = 2147467264 < 2^31.
  HostOptions options;
  options.element = [](const std::string&, std::int64_t) { return -128.0; };
  options.runs = 1;
  const Measured c = measure(gemm(), "naive", product(1, 1, 131071, "s8"), options);
  EXPECT_EQ(c.dtype, KS_S32);
  EXPECT_EQ(c.values[0], 2147467264.0);
}

// By the definition, with none of the reference's tiles or row loops.
TEST(GemmReference, AgreesWithTheDefinitionAcrossItsTiles) {
  const Settings set = with(product(5, 1030, 131), {{"batch", 2}, {"trans_b", "t"}, {"lda", 140}});
  const auto inputs = inputs_as_doubles(gemm(), set);
  const Measured c = measure(gemm(), "naive", set);
  ASSERT_EQ(c.values.size(), 2U * 5U * 1030U);
  for (std::size_t batch = 0; batch < 2; ++batch)
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t j = 0; j < 1030; ++j) {
        long double sum = 0;
        for (std::size_t p = 0; p < 131; ++p)
          sum += static_cast<long double>(inputs[0][(batch * 5 + i) * 140 + p]) *
                 inputs[1][(batch * 1030 + j) * 131 + p];
        // 131 roundings of double on sums below 131: 131 * 131 * 2^-53 < 2e-12.
        ASSERT_NEAR(c.values[(batch * 5 + i) * 1030 + j], static_cast<double>(sum), 2e-12);
      }
}

// Sizes just below, at and above its tiles (12 x 16, 6 x 8, 4 x 4) and blocks (240 x 256 x 256).
TEST(GemmReference, GivesTheSameBitsForAnyNumberOfThreads) {
  for (const auto& [m, n, k] :
       {std::tuple{1, 1, 1}, {13, 17, 257}, {239, 255, 256}, {481, 513, 300}, {1, 1000, 600}}) {
    const Settings set = with(product(m, n, k), {{"batch", 2}});
    HostOptions options;
    const Measured alone = measure(gemm(), "naive", set, options);
    for (const int threads : {2, 3, 16}) {
      options.threads = threads;
      const Measured shared = measure(gemm(), "naive", set, options);
      ASSERT_EQ(shared.status, KS_OK) << shared.why;
      EXPECT_TRUE(shared.values == alone.values) << m << " " << n << " " << k << " " << threads;
      EXPECT_EQ(told_in(shared.runtime)["threads"], std::to_string(threads));
    }
  }
}

// To the last bit: each product in its turn, fused with its addition or rounded first, as the processor
// does.
TEST(GemmReference, AddsProductsInOrderAcrossItsBlocks) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    return std::sin(static_cast<double>(index) + (input == "a" ? 0 : 0.5)) * std::exp2(index % 19);
  };
  constexpr std::size_t kRows = 14, kColumns = 18, kDepth = 700;
  const Measured c = measure(gemm(), "naive", product(kRows, kColumns, kDepth, "f64"), options);
  std::vector<double> fused, rounded;
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kColumns; ++j) {
      double with_fma = 0, without = 0;
      for (std::size_t p = 0; p < kDepth; ++p) {
        const double a = options.element("a", static_cast<std::int64_t>(i * kDepth + p));
        const double b = options.element("b", static_cast<std::int64_t>(p * kColumns + j));
        with_fma = std::fma(a, b, with_fma);
        const double term = a * b;
        without += term;
      }
      fused.push_back(with_fma);
      rounded.push_back(without);
    }
  EXPECT_TRUE(c.values == fused || c.values == rounded) << c.runtime;
}

TEST(GemmReference, LeavesTheSameOutputOnEveryRun) {
  for (const char* dtype : {"f32", "s8"}) {
    HostOptions options;
    options.runs = 1;
    const Measured once = measure(gemm(), "naive", product(31, 33, 300, dtype), options);
    options.runs = 3;
    EXPECT_EQ(measure(gemm(), "naive", product(31, 33, 300, dtype), options).values, once.values);
  }
}

TEST(GemmReference, AnInfinityStaysInItsRowAndColumn) {
  HostOptions options;  // the tiles reach beyond the product, and infinity times zero is no number
  options.element = [](const std::string& input, std::int64_t index) {
    return input == "a" && index == 2 ? std::numeric_limits<double>::infinity() : 1.0;
  };
  const Measured c = measure(gemm(), "naive", product(3, 2, 2), options);
  EXPECT_THAT(c.values, ElementsAre(2, 2, std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::infinity(), 2, 2));
}

TEST(GemmReference, GivesZerosForASumOfNothing) {
  const Measured c = measure(gemm(), "naive", product(2, 3, 0));
  ASSERT_EQ(c.status, KS_OK) << c.why;
  EXPECT_THAT(c.values, ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(GemmFamily, CountsTheWorkOfEveryBatch) {
  // 2 * batch * m * n * k = 2 * 3 * 4 * 5 * 6; bytes 3 * ((4*6 + 6*5) * 4 + 4*5 * 4); s8: 3 * (54 + 80).
  const Settings set = with(product(4, 5, 6), {{"batch", 3}});
  EXPECT_EQ(work_of(gemm(), set).flops, 720);
  EXPECT_EQ(work_of(gemm(), set).bytes, 888);
  EXPECT_EQ(work_of(gemm(), with(set, {{"dtype", "s8"}})).bytes, 402);
  EXPECT_EQ(work_of(gemm(), with(set, {{"dtype", "f8e4m3"}})).bytes, 402) << "C is f32";
  EXPECT_EQ(work_of(gemm(), with(set, {{"dtype", "f8e4m3"}, {"out", "bf16"}})).bytes, 3 * (54 + 40));
  EXPECT_EQ(work_of(gemm(), with(set, {{"dtype", "tf32"}})).bytes, 888);
  EXPECT_EQ(work_of(gemm(), with(set, {{"lda", 100}})).bytes, 888) << "gaps are not traffic";
}

TEST(GemmFamily, AsksForOperandsAsTheyAreStored) {
  std::vector<ks_input> inputs;
  std::string why;
  const Settings set = with(product(4, 5, 6, "bf16"), {{"batch", 3}, {"trans_a", "t"}, {"ldb", 8}});
  ASSERT_EQ(inputs_of(gemm(), set, inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_STREQ(inputs[0].name, "a");
  EXPECT_EQ(inputs[0].dtype, KS_BF16);
  EXPECT_THAT(std::vector<std::int64_t>(inputs[0].shape, inputs[0].shape + 3), ElementsAre(3, 6, 4));
  EXPECT_THAT(std::vector<std::int64_t>(inputs[1].shape, inputs[1].shape + 3), ElementsAre(3, 6, 8));
}

TEST(GemmFamily, AsksForTheOperandsOfEachType) {
  const std::pair<const char*, ks_dtype> types[] = {
      {"f32", KS_F32}, {"f64", KS_F64},       {"tf32", KS_F32},      {"bf16", KS_BF16},
      {"f16", KS_F16}, {"f8e4m3", KS_F8E4M3}, {"f8e5m2", KS_F8E5M2}, {"s8", KS_S8}};
  for (const auto& [name, dtype] : types) {
    std::vector<ks_input> inputs;
    std::string why;
    ASSERT_EQ(inputs_of(gemm(), product(2, 2, 2, name), inputs, why), KS_OK) << why;
    EXPECT_EQ(inputs[0].dtype, dtype) << name;
    EXPECT_EQ(inputs[1].dtype, dtype) << name;
  }
}

TEST(GemmFamily, ToleratesOnlyWhatRoundingCanExplain) {
  EXPECT_EQ(tolerance_of(gemm(), product(64, 64, 64, "s8")).relative, 0);
  EXPECT_EQ(tolerance_of(gemm(), product(64, 64, 64, "s8")).absolute, 0);
  // 4 sqrt(64) 2^-24 = 2^-19; a missing product of 64 in [-1, 1) weighs about 1/4 of a scale of about 10.
  EXPECT_EQ(tolerance_of(gemm(), product(64, 64, 64)).relative, 0x1p-19);
  EXPECT_EQ(tolerance_of(gemm(), product(64, 64, 64, "f64")).relative, 0x1p-47);
  EXPECT_NEAR(tolerance_of(gemm(), product(64, 64, 64, "bf16")).relative, 0x1p-8, 0.02 * 0x1p-8);
  EXPECT_EQ(tolerance_of(gemm(), product(64, 64, 64)).absolute, 65 * 0x1p-126);
  EXPECT_EQ(tolerance_of(gemm(), product(1, 1, 64)).absolute, 0x1p-18)
      << "one result may be near 0 by chance";
}

}  // namespace
}  // namespace kernsweep::testing
