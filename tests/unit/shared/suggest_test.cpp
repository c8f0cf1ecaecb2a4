#include "shared/text/suggest.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

TEST(Suggest, CountsInsertDeleteReplaceAndSwapAsOneEdit) {
  // Words of three letters are allowed one edit (a third of three).
  EXPECT_EQ(nearest("gem", {"gemm"}), "gemm");
  EXPECT_EQ(nearest("abcd", {"abd"}), "abd");
  EXPECT_EQ(nearest("cat", {"cot"}), "cot");
  EXPECT_EQ(nearest("act", {"cat"}), "cat");
}

TEST(Suggest, AllowsAThirdOfTheWordAndAtLeastOneEdit) {
  EXPECT_EQ(nearest("abcdef", {"abcdxy"}), "abcdxy");      // two edits of six letters
  EXPECT_EQ(nearest("abcdef", {"abcxyz"}), std::nullopt);  // three
  EXPECT_EQ(nearest("abcde", {"abcxy"}), std::nullopt);    // two of five: a third is one
  EXPECT_EQ(nearest("m", {"n"}), "n");
  EXPECT_EQ(nearest("mn", {"kl"}), std::nullopt);
}

TEST(Suggest, PrefersTheOtherCaseOfALetterToAnotherLetter) {
  EXPECT_EQ(nearest("M", {"n", "m"}), "m");
  // Four letters in the other case are two edits: allowed for six letters, not for five.
  EXPECT_EQ(nearest("LAYOut", {"layout"}), "layout");
  EXPECT_EQ(nearest("LAYOt", {"layot"}), std::nullopt);
}

TEST(Suggest, TakesTheNearestAndAmongEqualsTheFirst) {
  EXPECT_EQ(nearest("thread", {"threat", "threads"}), "threat");
  EXPECT_EQ(nearest("threadz", {"thread_x", "threads"}), "threads");
}

TEST(Suggest, IgnoresWordsLongerThanAnyName) {
  const std::string long_word(65, 'a');
  EXPECT_EQ(nearest(long_word, {long_word}), std::nullopt);
  EXPECT_EQ(nearest("a", {long_word}), std::nullopt);
  EXPECT_EQ(nearest(std::string(64, 'a'), {std::string(64, 'a')}), std::string(64, 'a'));
}

TEST(DidYouMean, NamesTheNearestWord) {
  EXPECT_EQ(did_you_mean("thread", {"variant", "threads"}), "; did you mean 'threads'?");
}

TEST(DidYouMean, ListsAtMostTwelveWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("zzz", {"alpha", "beta"}), "; known: alpha, beta");
  std::vector<std::string> many;
  for (char c = 'a'; c < 'a' + 13; ++c) many.push_back(std::string(8, c));
  const std::string text = did_you_mean("zzz", many);
  EXPECT_NE(text.find("llllllll and 1 more"), std::string::npos) << text;
  EXPECT_EQ(text.find("mmmmmmmm"), std::string::npos) << text;
  many.pop_back();
  EXPECT_EQ(did_you_mean("zzz", many).find("more"), std::string::npos);
}

TEST(DidYouMean, SaysNothingWhenNothingIsKnown) {
  EXPECT_EQ(did_you_mean("zzz", {}), "");
}

}  // namespace
}  // namespace kernsweep
