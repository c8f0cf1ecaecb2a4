// Epilogues, C = act(op(A) op(B) + bias): the reference against the definition, every variant against the
// reference, and what a forgotten bias or activation looks like.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/gemm/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kAll[] = {"bias", "relu", "bias_relu", "gelu", "bias_gelu"};

bool has(const std::string& epilogue, const char* part) {
  return epilogue.find(part) != std::string::npos;
}

Settings followed(const Settings& set, const std::string& epilogue) {
  return with(set, {{"epilogue", epilogue}});
}

double by_definition(const std::string& epilogue, double sum, double bias) {
  const double x = has(epilogue, "bias") ? sum + bias : sum;
  if (has(epilogue, "relu")) return std::max(x, 0.0);
  if (has(epilogue, "gelu"))
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * std::pow(x, 3))));
  return x;
}

TEST(GemmEpilogue, OfTheReferenceIsTheDefinition) {
  constexpr std::size_t kRows = 3, kColumns = 5, kDepth = 4;
  for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f16", "f8e4m3", "f8e5m2", "s8"})
    for (const std::string epilogue : kAll) {
      if (std::string(dtype) == "s8" && has(epilogue, "gelu")) continue;
      const Settings set =
          followed(with(product(kRows, kColumns, kDepth, dtype), {{"batch", 2}}), epilogue);
      const auto inputs = inputs_as_doubles(gemm(), set);
      ASSERT_EQ(inputs.size(), has(epilogue, "bias") ? 3U : 2U);
      const Measured c = measure(gemm(), "naive", set);
      ASSERT_EQ(c.status, KS_OK) << c.why;
      ASSERT_EQ(c.values.size(), 2 * kRows * kColumns);
      int below_zero = 0;
      for (std::size_t at = 0; at < c.values.size(); ++at) {
        double sum = 0;
        for (std::size_t p = 0; p < kDepth; ++p)
          sum += inputs[0][at / kColumns * kDepth + p] *
                 inputs[1][(at / kColumns / kRows * kDepth + p) * kColumns + at % kColumns];
        const double bias = has(epilogue, "bias") ? inputs[2][at % kColumns] : 0;
        below_zero += sum + bias < 0 ? 1 : 0;
        EXPECT_NEAR(c.values[at], by_definition(epilogue, sum, bias), 1e-14 * (1 + std::fabs(sum)))
            << dtype << " " << epilogue << " " << at;
      }
      EXPECT_GT(below_zero, 0) << "an activation has nothing to do";
    }
}

// A = 1 2 3 / 4 5 6, B = 7 8 / 9 10 / 11 12: sums 58 64 / 139 154; the bias is -60 -150.
TEST(GemmEpilogue, AddsTheBiasToColumnsAndCutsWhatIsBelowZero) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    if (input == "bias") return index == 0 ? -60.0 : -150.0;
    return static_cast<double>(index + (input == "a" ? 1 : 7));
  };
  for (const char* dtype : {"f32", "s8"}) {
    const Settings set = product(2, 2, 3, dtype);
    EXPECT_THAT(measure(gemm(), "naive", followed(set, "bias"), options).values,
                ElementsAre(-2, -86, 79, 4));
    EXPECT_THAT(measure(gemm(), "naive", followed(set, "bias_relu"), options).values,
                ElementsAre(0, 0, 79, 4));
  }
}

TEST(GemmEpilogue, AFilesBiasStopsAtTheEndsOfS32) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    if (input != "bias") return 1.0;
    return index == 0 ? 0x1p31 - 1 : -0x1p31;
  };
  const Settings set = followed(product(1, 2, 1, "s8"), "bias");
  EXPECT_THAT(measure(gemm(), "naive", set, options).values, ElementsAre(2147483647, -2147483647));
}

TEST(GemmEpilogue, OfASumOfNothingIsThatOfItsBias) {
  HostOptions options;
  options.element = [](const std::string&, std::int64_t index) { return static_cast<double>(index) - 1; };
  for (const char* variant : {"naive", "blocked", "blas"})
    EXPECT_EQ(in_child([&] {
                const Settings set = followed(product(2, 3, 0), "bias_relu");
                return ::testing::PrintToString(measure(gemm(), variant, set, options).values);
              }),
              "{ 0, 0, 1, 0, 0, 1 }")
        << variant;
}

TEST(GemmEpilogue, HasABiasOfTheTypeOfC) {
  for (const auto& [dtype, out, expected] : {std::tuple{"f32", "f32", KS_F32},
                                             {"f64", "f64", KS_F64},
                                             {"tf32", "f32", KS_F32},
                                             {"bf16", "bf16", KS_BF16},
                                             {"bf16", "f32", KS_F32},
                                             {"f16", "f16", KS_F16},
                                             {"f8e4m3", "f16", KS_F16},
                                             {"f8e4m3", "f32", KS_BF16},
                                             {"s8", "s32", KS_S32}}) {
    std::vector<ks_input> inputs;
    std::string why;
    const Settings set = with(product(4, 5, 16, dtype), {{"out", out}, {"batch", 3}});
    ASSERT_EQ(inputs_of(gemm(), set, inputs, why), KS_OK) << why;
    EXPECT_EQ(inputs.size(), 2U);
    ASSERT_EQ(inputs_of(gemm(), followed(set, "relu"), inputs, why), KS_OK) << why;
    EXPECT_EQ(inputs.size(), 2U);
    ASSERT_EQ(inputs_of(gemm(), followed(set, "bias_relu"), inputs, why), KS_OK) << why;
    ASSERT_EQ(inputs.size(), 3U);
    EXPECT_STREQ(inputs[2].name, "bias");
    EXPECT_EQ(inputs[2].dtype, expected) << dtype << " " << out;
    EXPECT_EQ(inputs[2].rank, 1);
    EXPECT_EQ(inputs[2].shape[0], 5);
    EXPECT_EQ(inputs[2].b, expected == KS_S32 ? 8 : 4) << "as large as the sums";
  }
}

TEST(GemmEpilogue, CountsTheBytesOfTheBiasAndNoOperations) {
  const Settings set = with(product(4, 5, 6), {{"batch", 3}});
  const ks_work plain = work_of(gemm(), set);
  for (const std::string epilogue : kAll) {
    EXPECT_EQ(work_of(gemm(), followed(set, epilogue)).flops, plain.flops);
    EXPECT_EQ(work_of(gemm(), followed(set, epilogue)).bytes,
              plain.bytes + (has(epilogue, "bias") ? 5 * 4 : 0))
        << epilogue;
  }
}

// Several rows and batches, gaps between rows, both orders, a row longer than one run of columns.
std::string epilogue_mismatches(const std::string& variant, const char* dtype, const std::string& epilogue,
                                std::initializer_list<std::pair<const char*, Literal>> extra = {}) {
  std::string all;
  for (const Settings& set :
       {product(1, 1, 1, dtype), product(37, 33, 29, dtype), product(2, 5000, 3, dtype),
        with(product(19, 37, 23, dtype), {{"batch", 3}, {"lda", 41}, {"ldb", 43}, {"ldc", 47}}),
        with(product(19, 37, 23, dtype), {{"batch", 2}, {"trans_a", "t"}, {"trans_b", "t"}}),
        with(product(5, 5, 5, dtype), {{"batch", 0}}), product(0, 5, 5, dtype), product(5, 0, 5, dtype)}) {
    HostOptions options;
    options.threads = 2;
    const std::string text =
        mismatch_with_reference(gemm(), variant, with(followed(set, epilogue), extra), options);
    if (!text.empty()) all += epilogue + ": " + text + "\n";
  }
  return all;
}

TEST(GemmEpilogue, OfBlockedAndBlasAgreesWithTheReference) {
  for (const char* variant : {"blocked", "blas"})
    for (const char* dtype : {"f32", "f64"})
      EXPECT_EQ(in_child([&] {
                  std::string all;
                  for (const char* epilogue : kAll) all += epilogue_mismatches(variant, dtype, epilogue);
                  return all;
                }),
                "")
          << variant << " " << dtype;
}

TEST(GemmEpilogue, OfOneDnnAgreesWithTheReference) {
  for (const char* dtype : {"f32", "bf16", "f16", "s8"})
    for (const std::string epilogue : kAll) {
      if (std::string(dtype) == "s8" && has(epilogue, "gelu")) continue;
      std::string why;
      if (can_run(gemm(), "onednn", followed(product(7, 7, 7, dtype), epilogue), why) == KS_UNSUPPORTED) {
        EXPECT_THAT(why, AllOf(HasSubstr("oneDNN"), HasSubstr(dtype)));
        EXPECT_STRNE(dtype, "f32");
        continue;
      }
      for (const char* weights : {"plain", "packed"})
        EXPECT_EQ(in_child([&] {
                    return epilogue_mismatches("onednn", dtype, epilogue, {{"weights", weights}});
                  }),
                  "")
            << dtype << " " << weights;
    }
}

TEST(GemmEpilogue, OfOneDnnTakesABiasInF32ForBf16) {
  const Settings set = followed(with(product(33, 35, 37, "bf16"), {{"out", "f32"}}), "bias_gelu");
  std::string why;
  if (can_run(gemm(), "onednn", set, why) != KS_OK) GTEST_SKIP() << why;
  EXPECT_EQ(in_child([&] { return mismatch_with_reference(gemm(), "onednn", set); }), "");
}

TEST(GemmEpilogue, OfBlasTellsItsThreads) {
  HostOptions options;
  options.threads = 2;
  const auto runtime = [&](const char* epilogue) {
    return in_child(
        [&] { return measure(gemm(), "blas", followed(product(8, 8, 8), epilogue), options).runtime; });
  };
  EXPECT_THAT(runtime("gelu"),
              AllOf(HasSubstr("OpenBLAS"), HasSubstr("epilogue oneTBB"), ::testing::EndsWith("threads=2")));
  EXPECT_THAT(runtime("none"), ::testing::Not(HasSubstr("epilogue")));
}

// The output of a variant that has lost its bias, its activation or both.
TEST(GemmEpilogue, IsMissedWhereItIsForgotten) {
  for (const char* dtype : {"f32", "bf16", "tf32", "f8e4m3"})
    for (const int k : {1, 64, 4096}) {
      const Settings set = product(32, 32, k, dtype);
      for (const auto& [right, wrong] : {std::pair{"bias", "none"},
                                         {"relu", "none"},
                                         {"gelu", "none"},
                                         {"bias_relu", "relu"},
                                         {"bias_relu", "bias"},
                                         {"bias_gelu", "gelu"},
                                         {"bias_gelu", "bias"}}) {
        const Measured expected = measure(gemm(), "naive", followed(set, right));
        const Measured forgetful = measure(gemm(), "naive", followed(set, wrong));
        EXPECT_NE(difference(forgetful, expected, tolerance_of(gemm(), followed(set, right))), "")
            << dtype << " k " << k << ": " << wrong << " instead of " << right;
      }
    }
}

TEST(GemmEpilogue, WidensTheToleranceByWhatItDoesToErrors) {
  const auto of = [](const char* epilogue, const char* dtype = "f32") {
    return tolerance_of(gemm(), followed(product(64, 64, 64, dtype), epilogue));
  };
  EXPECT_EQ(of("relu").relative, of("none").relative);
  EXPECT_EQ(of("bias").relative, 4 * std::sqrt(65.0) * 0x1p-24) << "one term more";
  EXPECT_EQ(of("gelu").relative, 1.13 * of("none").relative + 0x1p-12);
  EXPECT_LT(of("bias_gelu", "f64").relative, 0x1p-46);
  EXPECT_EQ(of("bias").absolute, 65 * 0x1p-126) << "no more than where numbers lose their precision";
  EXPECT_EQ(of("relu").absolute, 64 * 0x1p-24) << "all that is left may be near zero";
  EXPECT_EQ(of("relu", "s8").relative, 0);
  EXPECT_EQ(of("relu", "s8").absolute, 0);
}

TEST(GemmEpilogue, OfIntegersIsNoGelu) {
  std::vector<ks_input> inputs;
  std::string why;
  for (const char* epilogue : {"gelu", "bias_gelu"}) {
    EXPECT_EQ(inputs_of(gemm(), followed(product(4, 4, 4, "s8"), epilogue), inputs, why), KS_UNSUPPORTED);
    EXPECT_THAT(why, IsGolden());
  }
  EXPECT_EQ(inputs_of(gemm(), followed(product(4, 4, 4), "swish"), inputs, why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
}

TEST(GemmEpilogue, OfOneDnnNeedsAProduct) {
  std::string why;
  EXPECT_EQ(can_run(gemm(), "onednn", followed(product(4, 4, 0), "bias"), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(gemm(), "onednn", followed(product(4, 4, 0), "relu"), why), KS_OK) << why;
}

}  // namespace
}  // namespace kernsweep::testing
