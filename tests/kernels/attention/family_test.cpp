// What attention requires, counts and rejects, for any variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/attention/attention_points.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

std::string refusal_of_attention(const Settings& set) {
  std::string why, same;
  for (const std::string& variant : names_of_variants(attention()))
    EXPECT_EQ(can_run(attention(), variant, set, why), KS_BAD_PARAMETER) << variant;
  std::vector<ks_input> inputs;
  EXPECT_EQ(inputs_of(attention(), set, inputs, same), KS_BAD_PARAMETER);
  EXPECT_EQ(same, why);
  return why;
}

std::vector<std::int64_t> extents_of(const ks_input& input) {
  return {input.shape, input.shape + input.rank};
}

TEST(AttentionFamily, AllParametersAreTheProblemAndNoOperandIsKnownBefore) {
  EXPECT_THAT(names_in(attention().settings), ElementsAre());
  EXPECT_EQ(attention().constants, nullptr);
}

TEST(AttentionFamily, KeysAndValuesHaveTheirOwnHeadsAndLength) {
  std::vector<ks_input> inputs;
  std::string why;
  const Settings set = with(attention_of(8, 5, 7, 3), {{"batch", 2}, {"kv_heads", 4}, {"dtype", "bf16"}});
  ASSERT_EQ(inputs_of(attention(), set, inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_STREQ(inputs[0].name, "q");
  EXPECT_STREQ(inputs[1].name, "k");
  EXPECT_STREQ(inputs[2].name, "v");
  EXPECT_THAT(extents_of(inputs[0]), ElementsAre(2, 8, 5, 3));
  EXPECT_THAT(extents_of(inputs[1]), ElementsAre(2, 4, 7, 3));
  EXPECT_THAT(extents_of(inputs[2]), ElementsAre(2, 4, 7, 3));
  for (const ks_input& input : inputs) {
    EXPECT_EQ(input.dtype, KS_BF16);
    EXPECT_EQ(input.distribution, KS_NORMAL);
  }
}

TEST(AttentionFamily, WithoutOtherWordsKeysAreAsManyAsQueriesAndHeads) {
  std::vector<ks_input> inputs;
  std::string why;
  ASSERT_EQ(inputs_of(attention(), settings({{"heads", 3}, {"q_len", 5}, {"head_dim", 2}}), inputs, why),
            KS_OK)
      << why;
  EXPECT_THAT(extents_of(inputs[1]), ElementsAre(1, 3, 5, 2));
}

TEST(AttentionFamily, WorkIsTwoProductsOfThePairsThatAreSeen) {
  const Settings set = with(attention_of(4, 3, 5, 16), {{"batch", 2}, {"kv_heads", 2}});
  const auto work = [&](std::initializer_list<std::pair<const char*, Literal>> more) {
    return work_of(attention(), with(set, more));
  };
  EXPECT_EQ(work({}).flops, 4 * 2 * 4 * 16 * 15);
  EXPECT_EQ(work({}).bytes, 4 * 2 * 16 * (2 * 4 * 3 + 2 * 2 * 5));
  EXPECT_EQ(work({{"dtype", "bf16"}}).bytes, 2 * 2 * 16 * (2 * 4 * 3 + 2 * 2 * 5));
  EXPECT_EQ(work({{"causal", true}}).flops, 4 * 2 * 4 * 16 * (3 + 4 + 5));
  EXPECT_EQ(work({{"causal", true}, {"kv_len", 3}}).flops, 4 * 2 * 4 * 16 * (1 + 2 + 3));
  EXPECT_EQ(work({{"causal", true}, {"kv_len", 2}}).flops, 4 * 2 * 4 * 16 * (0 + 1 + 2));
  EXPECT_EQ(work({{"kv_len", 0}}).flops, 0);
}

TEST(AttentionFamily, HeadsMustBeAMultipleOfThoseOfTheKeys) {
  EXPECT_THAT(refusal_of_attention(with(attention_of(6, 2, 2, 2), {{"kv_heads", 4}})), IsGolden());
  EXPECT_THAT(refusal_of_attention(with(attention_of(2, 2, 2, 2), {{"kv_heads", 4}})), IsGolden());
}

TEST(AttentionFamily, ExtentsThatAreNoneAreRefusedByName) {
  for (const char* name : {"heads", "kv_heads", "head_dim"})
    EXPECT_THAT(refusal_of_attention(with(attention_of(2, 2, 2, 2), {{name, 0}})), IsGolden());
  for (const char* name : {"batch", "q_len", "kv_len"})
    EXPECT_THAT(refusal_of_attention(with(attention_of(2, 2, 2, 2), {{name, -1}})), IsGolden());
}

TEST(AttentionFamily, SizesNearTheEndOfTheIntegersAreRefusedNotComputed) {
  const Settings set = attention_of(2, 2, 2, 2);
  EXPECT_THAT(refusal_of_attention(with(set, {{"q_len", std::int64_t{1} << 40}})), IsGolden());
  constexpr int most = 2147483647;
  EXPECT_THAT(refusal_of_attention(with(set, {{"q_len", most}, {"head_dim", most}})), IsGolden());
  EXPECT_THAT(refusal_of_attention(with(set, {{"kv_len", most}, {"head_dim", most}, {"heads", most}})),
              IsGolden());
}

TEST(AttentionFamily, WordsThatAreNoneAreRefusedWithTheChoices) {
  EXPECT_THAT(refusal_of_attention(with(attention_of(2, 2, 2, 2), {{"dtype", "f64"}})), IsGolden());
  EXPECT_THAT(refusal_of_attention(with(attention_of(2, 2, 2, 2), {{"causal", "yes"}})), IsGolden());
  Settings set = attention_of(2, 2, 2, 2);
  set.erase("head_dim");
  EXPECT_THAT(refusal_of_attention(set), IsGolden());
}

// 4 (8 + 32 + 16) 2^-24, and in bf16 a rounding of the result and of each weight.
TEST(AttentionFamily, TolerancesFollowTheLengthsOfTheSumsAndTheType) {
  const Settings set = attention_of(2, 4, 1024, 64);
  EXPECT_NEAR(tolerance_of(attention(), set).relative, 1.335e-5, 1e-8);
  EXPECT_NEAR(tolerance_of(attention(), with(set, {{"dtype", "bf16"}})).relative, 3.01 / 256, 1e-4);
  EXPECT_EQ(tolerance_of(attention(), set).scale_dims, 1);
  EXPECT_LT(tolerance_of(attention(), set).absolute, 1e-30);
}

// A row of few elements may be small by cancellation.
TEST(AttentionFamily, FewElementsHaveTheScaleOfAHeadOrOfAll) {
  EXPECT_EQ(tolerance_of(attention(), attention_of(2, 4, 9, 15)).scale_dims, 2);
  EXPECT_EQ(tolerance_of(attention(), attention_of(2, 1, 9, 15)).scale_dims, 0);
  EXPECT_EQ(tolerance_of(attention(), attention_of(2, 1, 9, 16)).scale_dims, 1);
}

}  // namespace
}  // namespace kernsweep::testing
