#include "kernels/cpu/libraries/params.hpp"

#include <gtest/gtest.h>

#include <array>

namespace kernsweep {
namespace {

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
