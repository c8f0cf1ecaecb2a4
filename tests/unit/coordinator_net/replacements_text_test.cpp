#include "language/file/replacements_text.hpp"

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
  given.left_out = {{"batch != 2", "no; 2 is \"odd\""}, {"not (v == 1 and w == 2)", ""}};
  const Replacements back = replacements_of(text_of(given));
  EXPECT_EQ(back.axes, given.axes);
  EXPECT_EQ(back.settings, given.settings);
  EXPECT_EQ(back.only, given.only);
  EXPECT_EQ(back.sample, given.sample);
  EXPECT_TRUE(back.quick);
  ASSERT_EQ(back.left_out.size(), 2u);
  for (std::size_t at = 0; at < 2; ++at) {
    EXPECT_EQ(back.left_out[at].rule, given.left_out[at].rule);
    EXPECT_EQ(back.left_out[at].why, given.left_out[at].why);
  }
}

TEST(ReplacementsText, OfNoneOnlyTheDefaultsAreSaid) {
  EXPECT_EQ(text_of(Replacements{}), "order shuffle\nsmall_sweeps\ndecide_small\n");
  const Replacements back = replacements_of("order shuffle\n");
  EXPECT_EQ(back.default_order, Order::shuffle);
  EXPECT_FALSE(back.small_sweeps || back.decide_small) << "of a version before";
  EXPECT_FALSE(back.quick);
}

// Versions that wrote no order took the points as the file lists them. A sweep is found by this text, so it
// must come back as it was.
TEST(ReplacementsText, WithoutAnOrderItIsThatOfTheFile) {
  for (const char* text : {"", "set measure.processes=5\nquick\n", "sample 10%\npoint 3\n"}) {
    EXPECT_EQ(replacements_of(text).default_order, Order::interleave) << text;
    EXPECT_EQ(text_of(replacements_of(text)), text);
  }
}

TEST(ReplacementsText, TheDrawnOrderIsNoPartOfWhatWasAsked) {
  Replacements given;
  given.settings = {"measure.processes=5"};
  const std::string asked = text_of(given);
  given.order_seed = 4'000'000'000;
  EXPECT_EQ(replacements_of(text_of(given)).order_seed, given.order_seed);
  EXPECT_EQ(as_asked(text_of(given)), as_asked(asked));
  EXPECT_EQ(as_asked(asked), "set measure.processes=5\norder shuffle\n");
  EXPECT_EQ(as_asked(""), "");
}

TEST(ReplacementsText, AnOrderThatIsNotKnownIsLeftOut) {
  EXPECT_EQ(replacements_of("order spiral\n").default_order, Order::interleave);
}

TEST(ReplacementsText, ANewerVersionsLineIsLeftOut) {
  const Replacements back = replacements_of("zoom 3\nset measure.processes=1\n");
  EXPECT_EQ(back.settings, std::vector<std::string>{"measure.processes=1"});
}

}  // namespace
}  // namespace kernsweep
