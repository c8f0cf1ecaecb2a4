#include "coordinator/sweep/replacements_text.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

TEST(ReplacementsText, ComesBackAsItWas) {
  Replacements given;
  given.axes = {"threads[pow2]=[0:6]", "dtype=[f32]"};
  given.settings = {"measure.processes=5"};
  given.only = R"(variant == "blas" and m < 3)";
  given.sample = "10%";
  given.quick = true;
  const Replacements back = replacements_of(text_of(given));
  EXPECT_EQ(back.axes, given.axes);
  EXPECT_EQ(back.settings, given.settings);
  EXPECT_EQ(back.only, given.only);
  EXPECT_EQ(back.sample, given.sample);
  EXPECT_TRUE(back.quick);
}

TEST(ReplacementsText, NoneIsEmpty) {
  EXPECT_EQ(text_of(Replacements{}), "");
  EXPECT_FALSE(replacements_of("").quick);
}

TEST(ReplacementsText, ANewerVersionsLineIsLeftOut) {
  const Replacements back = replacements_of("zoom 3\nset measure.processes=1\n");
  EXPECT_EQ(back.settings, std::vector<std::string>{"measure.processes=1"});
}

}  // namespace
}  // namespace kernsweep
