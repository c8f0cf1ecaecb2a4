#include "cli/commands/ask/column_names.hpp"

#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

TEST(ColumnNames, AreThoseOfAllWordsInTheirOrder) {
  const auto names = column_names("--by", {"n,m", "env.A B"});
  ASSERT_TRUE(names);
  EXPECT_THAT(*names, testing::ElementsAre("n", "m", "env.A B"));
  EXPECT_THAT(column_names("--by", {}).value(), testing::IsEmpty());
}

TEST(ColumnNames, AreRefusedWhenOneStandsTwiceOrIsEmpty) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"m,m"}, {"m,n", "m"}, {"m,,n"}, {"m,"}, {","}, {""}}) {
    const auto names = column_names("--by", words);
    ASSERT_FALSE(names) << testing::PrintToString(words);
    EXPECT_THAT(names.error().message, IsGolden());
  }
}

}  // namespace
}  // namespace kernsweep
