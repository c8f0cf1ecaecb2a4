// The tree under a sweep file.
#include "language/file/yaml_tree.hpp"
#include "tests/golden_text/golden_text.hpp"

#include <gmock/gmock.h>

namespace kernsweep {
namespace {

Result<Node> tree(const std::string& text) {
  return parse_yaml(text, std::make_shared<const TextSource>(TextSource{"t.yaml", true}));
}
std::string error(const std::string& text) {
  const auto node = tree(text);
  return node ? std::string() : node.error().message;
}

TEST(YamlTree, ScalarsAreTextAsWrittenWithTheirPlace) {
  const auto node = tree("a: on\nb: '12'\nc: [1e-4, ~, Null]\nd:\n");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->find("a")->scalar, "on");
  EXPECT_FALSE(node->find("a")->quoted);
  EXPECT_TRUE(node->find("b")->quoted);
  const auto& items = node->find("c")->items;
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].scalar, "1e-4");
  EXPECT_EQ(items[0].place.line, 3);
  EXPECT_EQ(items[0].place.column, 5);
  EXPECT_TRUE(items[1].is_null());
  EXPECT_FALSE(items[2].is_null());
  EXPECT_EQ(items[2].scalar, "Null");
  EXPECT_TRUE(node->find("d")->is_null());
}

TEST(YamlTree, AByteOrderMarkIsSkipped) {
  EXPECT_TRUE(
      tree("\xEF\xBB\xBF"
           "a: 1"));
}

// JSON writes characters above U+FFFF as two escapes.
TEST(YamlTree, PairsOfEscapesInJsonAreOneCharacter) {
  const auto node = tree(
      R"({"a": "x\ud83d\ude00y", 'b': 'c\ud83d\ude00', "c": "\\ud83d\\ude00 \"\uD834\uDD1E", "d": e})");
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->find("a")->scalar, "x\U0001f600y");
  EXPECT_EQ(node->find("b")->scalar, R"(c\ud83d\ude00)") << "no escapes in single quotes";
  EXPECT_EQ(node->find("c")->scalar, "\\ud83d\\ude00 \"\U0001d11e");
  EXPECT_EQ(node->find("d")->place.column, 90) << "as it is in the file";
  EXPECT_EQ(tree(R"(["\ud83d\ude00"])")->items[0].scalar, "\U0001f600");
  EXPECT_EQ(error(R"({"a": "\ud83d\ude00 \ud83d!"})").substr(0, 22), R"(t.yaml:1:21: \ud83d is)");
  EXPECT_EQ(error(R"({"a": "\ude00\ud83d"})").substr(0, 20), R"(t.yaml:1:8: \ude00 i)");
}

TEST(YamlTree, AliasesAndMergeKeysAreUnfolded) {
  const auto node = tree("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: [*x]");
  ASSERT_TRUE(node) << error("x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: [*x]");
  EXPECT_EQ(node->find("y")->find("a")->scalar, "1");
  EXPECT_EQ(node->find("y")->find("b")->scalar, "3");  // a key next to << wins
  EXPECT_EQ(node->find("z")->items[0].find("b")->scalar, "2");
  EXPECT_EQ(error("y: {<<: 3}"), "t.yaml:1:9: '<<' takes a mapping or a list of mappings");
}

TEST(YamlTree, AnAliasBombIsRefusedWithoutBeingUnfolded) {
  // Ten levels of ten aliases: 10^10 nodes.
  std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
  for (int i = 1; i <= 10; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k ? ", *a" : "*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(error(bomb), IsGolden());
}

TEST(YamlTree, AnAliasToItselfIsRefused) {
  EXPECT_EQ(error("a: &a [*a]"), "t.yaml:1:8: this alias refers to a value that contains it; remove it");
}

TEST(YamlTree, DepthIsBounded) {
  EXPECT_EQ(error(std::string(1000, '[') + std::string(1000, ']')),
            "t.yaml:1:41: nested deeper than 40 levels");
  EXPECT_EQ(error(std::string(40, '[') + std::string(40, ']')), "");
}

TEST(YamlTree, SizeIsBounded) {
  EXPECT_EQ(error(std::string(kSweepBytesMax + 1, ' ')),
            "t.yaml:1:1: 8388609 bytes; a sweep file has at most 8388608");
}

TEST(YamlTree, KeysAreText) {
  EXPECT_EQ(error("{[1]: 2}"), "t.yaml:1:2: a key must be plain text, not a list");
  EXPECT_EQ(error("a: 1\n'a': 2"), "t.yaml:2:1: key 'a' appears twice (first in line 1); remove one");
}

TEST(YamlTree, OneFileIsOneDocumentWithoutTags) {
  EXPECT_THAT(error("a: 1\n---\nb: 2\n"), IsGolden());
  EXPECT_THAT(error("a: !!int '3'"), IsGolden());
  EXPECT_EQ(error("a: !!str 3"), "");
}

TEST(YamlTree, SyntaxErrorsHaveTheirPlace) {
  EXPECT_THAT(error("a: [1, 2"), IsGolden());
  EXPECT_THAT(error("a: 1\n b: 2\n"), IsGolden());
  EXPECT_THAT(error("a: *none"), IsGolden());
}

TEST(YamlTree, AnUnclosedListOrMappingNamesTheLineWhereItBegins) {
  EXPECT_EQ(error("a: 1\nb: [1,\n  2"),
            "t.yaml:3:4: not YAML: a list that begins with '[' in line 2 has no ']'");
  EXPECT_EQ(error("a: 1\nb: {c: 1"),
            "t.yaml:2:9: not YAML: a mapping that begins with '{' in line 2 has no '}'");
  // The inner one is closed, the outer is not.
  EXPECT_THAT(error("a: [1,\n  [2]\n"), IsGolden());
}

TEST(YamlTree, TextOfANodeIsCutWhenItIsLong) {
  EXPECT_EQ(text_of(*tree("{a: [1, null, '2'], b: x}")), "{a: [1, null, \"2\"], b: x}");
  std::string list = "[0";
  for (int i = 1; i < 100; ++i) list += ", " + std::to_string(i);
  const std::string text = text_of(*tree(list + "]"));
  EXPECT_LT(text.size(), 120u);
  EXPECT_TRUE(text.ends_with(", ...]"));
}

}  // namespace
}  // namespace kernsweep
