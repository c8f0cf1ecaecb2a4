// How a sweep describes an operand of a function.
#include "shared/base/operand_text.hpp"

#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

OperandText read(const char* text) {
  const auto out = operand_of_text(text);
  EXPECT_TRUE(out) << out.error().message;
  return out ? *out : OperandText{};
}

TEST(OperandTextTest, HasATypeAndAShape) {
  const OperandText plain = read("f32[64, 512]");
  EXPECT_EQ(plain.dtype, Dtype::f32);
  EXPECT_THAT(plain.shape, ElementsAre(64, 512));
  EXPECT_EQ(plain.distribution, "");
  EXPECT_EQ(plain.role, OperandRole::varying);
  EXPECT_THAT(read("bf16[]").shape, IsEmpty()) << "one number";
  EXPECT_THAT(read(" s8 [ 0 ,1,2 ] ").shape, ElementsAre(0, 1, 2));
}

TEST(OperandTextTest, MayHaveADistributionAndARole) {
  const OperandText both = read("f64[3] normal(0, 0.02) density 0.1 constant");
  EXPECT_EQ(both.distribution, "normal(0, 0.02) density 0.1");
  EXPECT_EQ(both.role, OperandRole::constant);
  EXPECT_EQ(read("f64[3] in_place").role, OperandRole::in_place);
  EXPECT_EQ(read("f64[3] in_place").distribution, "");
  EXPECT_EQ(read("f64[3] varying").role, OperandRole::varying);
  EXPECT_EQ(read("f64[3] data_constant").distribution, "data_constant") << "another word";
}

TEST(OperandTextTest, SaysWhatIsWrong) {
  for (const char* text : {"", "f32", "f32]3[", "f9[3]", "[3]", "f32[,]", "f32[3,]", "f32[n]", "f32[-1]",
                           "f32[1.5]", "f32[99999999999999999999]", "f32[1,1,1,1,1,1,1,1,1]"}) {
    const auto out = operand_of_text(text);
    ASSERT_FALSE(out) << text;
    EXPECT_THAT(out.error().message, IsGolden()) << text;
  }
}

}  // namespace
}  // namespace kernsweep
