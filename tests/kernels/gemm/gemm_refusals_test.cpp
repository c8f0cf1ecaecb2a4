// Points that the pack rejects, with the status and the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/gemm/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

ks_status inputs_status(const Settings& set, std::string& why) {
  std::vector<ks_input> inputs;
  return inputs_of(gemm(), set, inputs, why);
}

TEST(GemmRefusals, NoVariantTakesANegativeSize) {
  for (const char* name : {"batch", "m", "n", "k", "lda", "ldb", "ldc"}) {
    std::string why;
    EXPECT_EQ(inputs_status(with(product(4, 4, 4), {{name, -1}}), why), KS_BAD_PARAMETER) << name;
    EXPECT_THAT(why, IsGolden());
    for (const std::string& variant : names_of_variants(gemm()))
      EXPECT_EQ(can_run(gemm(), variant, with(product(4, 4, 4), {{name, -1}}), why), KS_BAD_PARAMETER)
          << variant;
  }
}

TEST(GemmRefusals, NamesTheParameterThatIsMissing) {
  std::string why;
  EXPECT_EQ(inputs_status(settings({{"m", 4}, {"n", 4}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
}

TEST(GemmRefusals, ALeadingDimensionHoldsAWholeRow) {
  // A is stored m x k = 4 x 6: rows of 6. Transposed it is stored 6 x 4, and 5 is enough.
  std::string why;
  EXPECT_EQ(inputs_status(with(product(4, 4, 6), {{"lda", 5}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(inputs_status(with(product(4, 4, 6), {{"lda", 5}, {"trans_a", "t"}}), why), KS_OK) << why;
}

TEST(GemmRefusals, RejectsWordsAndKindsItDoesNotKnow) {
  std::string why;
  EXPECT_EQ(inputs_status(product(4, 4, 4, "f23"), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(inputs_status(product(4, 4, 4, ""), why), KS_BAD_PARAMETER);
  EXPECT_EQ(inputs_status(with(product(4, 4, 4), {{"m", "four"}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(inputs_status(with(product(4, 4, 4), {{"m", 4.5}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(inputs_status(with(product(4, 4, 4), {{"trans_a", "c"}}), why), KS_BAD_PARAMETER);
}

TEST(GemmRefusals, AResultTypeFollowsItsOperands) {
  std::string why;
  EXPECT_EQ(inputs_status(with(product(4, 4, 4), {{"out", "s32"}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(inputs_status(with(product(4, 4, 4, "s8"), {{"out", "f32"}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(inputs_status(with(product(4, 4, 4, "bf16"), {{"out", "f16"}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(inputs_status(with(product(4, 4, 4, "tf32"), {{"out", "bf16"}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  for (const char* dtype : {"f8e4m3", "f8e5m2"}) {
    for (const char* out : {"f32", "bf16", "f16"})
      EXPECT_EQ(inputs_status(with(product(4, 4, 4, dtype), {{"out", out}}), why), KS_OK) << why;
    EXPECT_EQ(inputs_status(with(product(4, 4, 4, dtype), {{"out", "f64"}}), why), KS_BAD_PARAMETER);
    EXPECT_THAT(why, IsGolden());
  }
}

TEST(GemmRefusals, SizesThatCannotBeCountedAreNotMultiplied) {
  const std::int64_t huge = std::int64_t{1} << 40;
  std::string why;
  EXPECT_EQ(inputs_status(with(product(1, 1, 1), {{"m", huge}, {"k", huge}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  // Nothing to store, and still nothing that may overflow on the way.
  EXPECT_EQ(inputs_status(with(product(1, 1, 1), {{"batch", 0}, {"m", huge}, {"k", huge}}), why),
            KS_BAD_PARAMETER);
}

TEST(GemmRefusals, IntegerSumsThatMightOverflowAreUnsupported) {
  std::string why;
  EXPECT_EQ(inputs_status(product(1, 1, 131071, "s8"), why), KS_OK);
  EXPECT_EQ(inputs_status(product(1, 1, 131072, "s8"), why), KS_UNSUPPORTED);
}

TEST(GemmRefusals, BlasKnowsTwoTypesAnd32BitSizes) {
  std::string why;
  for (const char* dtype : {"tf32", "bf16", "f16", "f8e4m3", "f8e5m2", "s8"}) {
    EXPECT_EQ(can_run(gemm(), "blas", product(4, 4, 4, dtype), why), KS_UNSUPPORTED);
    EXPECT_THAT(why, IsGolden());
    EXPECT_EQ(can_run(gemm(), "blocked", product(4, 4, 4, dtype), why), KS_UNSUPPORTED);
    EXPECT_THAT(why, IsGolden());
  }
  const std::int64_t too_long = std::int64_t{1} << 31;
  EXPECT_EQ(can_run(gemm(), "blas", with(product(1, 1, 1), {{"lda", too_long - 1}}), why), KS_OK) << why;
  EXPECT_EQ(can_run(gemm(), "blas", with(product(1, 1, 1), {{"lda", too_long}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
}

TEST(GemmRefusals, OneDnnHasNoDoublesAndNotWhatOnlyGpusHave) {
  for (const char* dtype : {"f64", "tf32", "f8e4m3", "f8e5m2"}) {
    std::string why;
    EXPECT_EQ(can_run(gemm(), "onednn", product(4, 4, 4, dtype), why), KS_UNSUPPORTED) << dtype;
    const std::regex here("oneDNN [^ ]+ isa=[^ ]+");
    EXPECT_THAT(std::regex_replace(why, here, "oneDNN <version> isa=<isa>"), IsGolden());
  }
}

TEST(GemmRefusals, BlocksMustHoldSomething) {
  for (const char* block : {"block_m", "block_n", "block_k"}) {
    std::string why;
    EXPECT_EQ(can_run(gemm(), "blocked", with(product(4, 4, 4), {{block, 0}}), why), KS_BAD_PARAMETER);
    EXPECT_THAT(why, IsGolden());
  }
}

TEST(GemmRefusals, ALibraryThatIsNotThereFailsItsSetUpWithTheLoadersWords) {
  const Measured c =
      measure(gemm(), "blas", with(product(4, 4, 4), {{"blas.library", "libnosuchblas.so.9"}}));
  EXPECT_EQ(c.status, KS_FAILED);
  EXPECT_EQ(c.failed_in, "prepare");
  EXPECT_THAT(c.why, IsGolden());
}

TEST(GemmRefusals, ALibraryWithoutCblasIsNotOne) {
  const std::string answer = in_child([] {
    return measure(gemm(), "blas", with(product(4, 4, 4), {{"blas.library", "libm.so.6"}})).why;
  });
  EXPECT_THAT(answer, IsGolden());
}

TEST(GemmRefusals, EveryVariantSaysWhenThereIsNoMemory) {
  for (const std::string& variant : names_of_variants(gemm())) {
    const std::string answer = in_child([&] {
      HostOptions options;
      options.bytes_max = 100;  // the result alone has 16 * 16 * 4
      const Measured c = measure(gemm(), variant, product(16, 16, 16), options);
      return std::to_string(c.status) + " in " + c.failed_in;
    });
    EXPECT_EQ(answer, std::to_string(KS_OUT_OF_MEMORY) + " in prepare") << variant;
  }
}

TEST(GemmRefusals, AnotherMajorVersionGetsNoPack) {
  // open_pack asks with our own; ask again with others through the same symbol.
  EXPECT_EQ(open_pack_as("gemm", KS_API_MAJOR + 1, 0), nullptr);
  EXPECT_NE(open_pack_as("gemm", KS_API_MAJOR, KS_API_MINOR + 1), nullptr) << "a newer minor host knows us";
}

}  // namespace
}  // namespace kernsweep::testing
