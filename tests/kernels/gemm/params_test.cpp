#include "kernels/cpu/libraries/params.hpp"

#include <gtest/gtest.h>

#include <array>

namespace kernsweep {
namespace {

constexpr ks_param_doc kDocs[] = {
    {"alpha", KS_FLOAT, "1", nullptr, "a factor"},
    {"layout", KS_TEXT, "nchw", "nchw|nhwc", "order of dimensions"},
    {"size", KS_INTEGER, nullptr, nullptr, "a required size"},
};

struct Refusal {
  std::array<char, 256> text{};
  ks_why why() { return {text.data(), text.size()}; }
};

ks_status check(std::initializer_list<ks_param> items, Refusal& refusal) {
  const ks_params params{items.size(), items.begin()};
  return Params(&params).check(kDocs, std::size(kDocs), refusal.why());
}

constexpr ks_param kSize{"size", KS_INTEGER, 3, 3.0, ""};

TEST(Params, NullCountsAsAbsent) {
  const ks_param null{"layout", KS_NULL, 0, 0, ""};
  const ks_params params{1, &null};
  EXPECT_FALSE(Params(&params).present("layout"));
  EXPECT_STREQ(Params(&params).text("layout", "nchw"), "nchw");
}

TEST(Params, AValueOfAnotherKindIsNotRead) {
  const ks_param text{"size", KS_TEXT, 0, 0, "7"};
  const ks_params params{1, &text};
  EXPECT_TRUE(Params(&params).present("size"));
  EXPECT_EQ(Params(&params).integer("size", -1), -1);
}

TEST(Params, AWholeNumberWillDoForANumberButNotTheReverse) {
  Refusal refusal;
  EXPECT_EQ(check({{"alpha", KS_INTEGER, 2, 2.0, ""}, kSize}, refusal), KS_OK);
  EXPECT_EQ(check({{"size", KS_FLOAT, 0, 2.0, ""}}, refusal), KS_BAD_PARAMETER);
  EXPECT_STREQ(refusal.text.data(), "size must be a whole number, not a number");
}

TEST(Params, AChoiceIsAWholeWord) {
  Refusal refusal;
  EXPECT_EQ(check({{"layout", KS_TEXT, 0, 0, "nhwc"}, kSize}, refusal), KS_OK);
  for (const char* wrong : {"nch", "nchw|nhwc", "", "|", "hwc"})
    EXPECT_EQ(check({{"layout", KS_TEXT, 0, 0, wrong}, kSize}, refusal), KS_BAD_PARAMETER) << wrong;
}

TEST(Params, ARequiredParameterIsMissed) {
  Refusal refusal;
  EXPECT_EQ(check({}, refusal), KS_BAD_PARAMETER);
  EXPECT_STREQ(refusal.text.data(), "size is missing: a required size");
}

TEST(Refuse, ShortensWithoutBreakingACharacter) {
  // "x" + the two bytes of an e with acute accent. Room for 2 and the NUL would split the character.
  std::array<char, 4> text{'#', '#', '#', '#'};
  EXPECT_EQ(refuse(KS_FAILED, {text.data(), 3}, "x\xc3\xa9"), KS_FAILED);
  EXPECT_STREQ(text.data(), "x");
  EXPECT_EQ(text[3], '#');
  refuse(KS_FAILED, {text.data(), 4}, "x\xc3\xa9");
  EXPECT_STREQ(text.data(), "x\xc3\xa9");
}

TEST(Refuse, WritesNothingWhereThereIsNoRoom) {
  char untouched = '#';
  EXPECT_EQ(refuse(KS_UNSUPPORTED, {&untouched, 0}, "reason"), KS_UNSUPPORTED);
  EXPECT_EQ(untouched, '#');
  refuse(KS_UNSUPPORTED, {nullptr, 0}, "reason");
}

}  // namespace
}  // namespace kernsweep
