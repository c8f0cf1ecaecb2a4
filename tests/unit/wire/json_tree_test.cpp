#include "shared/wire/json_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

// What is read and written again.
std::string again(const std::string& text) {
  const auto tree = json_tree_of(text);
  return tree ? text_of(*tree) : "error: " + tree.error().message;
}

std::string unreadable(const std::string& text) {
  const auto tree = json_tree_of(text);
  EXPECT_FALSE(tree) << text;
  return tree ? "" : tree.error().message;
}

TEST(JsonTreeRead, KeepsKindsAndOrder) {
  const std::string text =
      R"({"z":1,"a":[1,1.0,-0.5,true,null,"","\u0000\"\\"],"m":{},"l":[],"n":{"b":{"c":[{"d":[[]]}]}}})";
  EXPECT_EQ(again(text), text);
}

TEST(JsonTreeRead, ReadsWholeNumbersToTheEndsOf64Bits) {
  EXPECT_EQ(again("[9223372036854775807,-9223372036854775808]"),
            "[9223372036854775807,-9223372036854775808]");
  // The largest without a sign is kept as one, though it is no Value.
  const auto largest = json_tree_of("18446744073709551615");
  ASSERT_TRUE(largest) << largest.error().message;
  EXPECT_EQ(largest->whole(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(text_of(*largest), "18446744073709551615");
}

TEST(JsonTreeRead, RefusesAWholeNumberThatOnlyAFloatCouldHold) {
  EXPECT_THAT(unreadable("[18446744073709551616]"), IsGolden());
  EXPECT_THAT(unreadable("-9223372036854775809"), IsGolden());
  EXPECT_EQ(again("1e19"), "1e+19") << "a float was meant";
}

TEST(JsonTreeRead, SevenIsNotSevenPointZero) {
  EXPECT_TRUE(json_tree_of("7")->scalar.integer());
  EXPECT_TRUE(json_tree_of("7.0")->scalar.real());
  EXPECT_FALSE(json_tree_of("7.0")->whole());
  EXPECT_FALSE(json_tree_of("-7")->whole());
  EXPECT_EQ(json_tree_of("7")->whole(), 7u);
}

TEST(JsonTreeRead, RefusesAKeyThatStandsTwiceInOneObjectOnly) {
  EXPECT_THAT(unreadable(R"({"a":{"b":1,"c":2,"b":3}})"), IsGolden());
  EXPECT_EQ(again(R"({"a":{"a":1},"b":{"a":1}})"), R"({"a":{"a":1},"b":{"a":1}})");
}

TEST(JsonTreeRead, RefusesWhatIsNoJson) {
  for (const char* text : {"", " ", "{", "{\"a\":1,}", "[1 2]", "{a:1}", "'a'", "nul", "[1]x", "1e999",
                           "[NaN]", "\"\xff\"", "{\"a\"}", "\"\n\""}) {
    EXPECT_FALSE(unreadable(text).empty()) << text;
  }
}

TEST(JsonTreeRead, TellsWhereItStopsBeingJson) {
  EXPECT_THAT(unreadable("{\"a\": oops}"), testing::HasSubstr("character 7"));
}

TEST(JsonTreeRead, RefusesWhatNestsWithoutEnd) {
  EXPECT_EQ(again(std::string(16, '[') + std::string(16, ']')),
            std::string(16, '[') + std::string(16, ']'));
  EXPECT_THAT(unreadable(std::string(17, '[') + std::string(17, ']')), IsGolden());
  EXPECT_THAT(unreadable(std::string(100000, '[')), IsGolden());
}

TEST(JsonTreeText, HasNullForWhatJsonCannotSay) {
  JsonTree list = JsonTree::list();
  list.add(Value(std::numeric_limits<double>::infinity()));
  list.add(Value(std::numeric_limits<double>::quiet_NaN()));
  list.add(Value("\xff"));
  EXPECT_EQ(text_of(list), "[null,null,\"\xEF\xBF\xBD\"]");
}

TEST(JsonTreeText, ComesInSeveralLinesOnRequest) {
  JsonTree object = JsonTree::object();
  object.add("a", Value(1));
  EXPECT_EQ(text_of(object, 2), "{\n  \"a\": 1\n}");
}

}  // namespace
}  // namespace kernsweep
