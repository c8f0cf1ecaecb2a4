#include "shared/text/command_line.hpp"

#include <gmock/gmock.h>

namespace kernsweep {
namespace {

using Words = std::vector<std::string>;

TEST(Words, AreWhatAPosixShellMakesOfThem) {
  EXPECT_EQ(command_words(" a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(command_words(R"(a 'b c' "d 'e" f\ g)"), (Words{"a", "b c", "d 'e", "f g"}));
  EXPECT_EQ(command_words(R"(a'b'"c"d)"), (Words{"abcd"}));
  EXPECT_EQ(command_words(R"('' "")"), (Words{"", ""}));
  EXPECT_EQ(command_words(R"("\$\`\"\\\n" '\n' \n)"), (Words{R"($`"\\n)", R"(\n)", "n"}));
  EXPECT_EQ(command_words("a\\\nb \"c\\\nd\""), (Words{"ab", "cd"}));
  EXPECT_EQ(command_words("$x * | > ; &"), (Words{"$x", "*", "|", ">", ";", "&"}));
}

TEST(Words, OfNothingAreNone) {
  EXPECT_EQ(command_words(""), Words{});
  EXPECT_EQ(command_words(" \n"), Words{});
}

TEST(Words, WhatIsNotClosedIsNoCommand) {
  for (const char* line : {"'a", "a \"b", "\"a\\\"", "a\\", "\\", "'"})
    EXPECT_EQ(command_words(line), std::nullopt) << line;
}

// The coordinator quotes, the pack splits.
TEST(Words, AreThoseThatTheCoordinatorQuoted) {
  const Words awkward = {"",      " ", "it's", "\"",     "\\",          "\\\\n",  "a b",
                         "$HOME", "*", "'''",  "a'b\"c", "caf\xC3\xA9", "-x=1,2", "a\nb",
                         "#",     "~", "'",    "{}",     "--k=v"};
  std::string line;
  for (const std::string& word : awkward) line += (line.empty() ? "" : " ") + quoted_word(word);
  EXPECT_EQ(command_words(line), awkward);
  // And every single byte that a text can hold.
  for (int byte = 1; byte < 256; ++byte) {
    const std::string word = {'a', static_cast<char>(byte), 'b'};
    EXPECT_EQ(command_words(quoted_word(word)), Words{word}) << byte;
  }
}

TEST(Words, GetAPathInTheirPlaces) {
  EXPECT_EQ(with_place("{build} 10 --in={build}.bin '{out}'", kBuildPlace, "/a/b"),
            "/a/b 10 --in=/a/b.bin '{out}'");
  EXPECT_EQ(command_words(with_place("{build} 'x y'", kBuildPlace, "/it's a/b")),
            (Words{"/it's a/b", "x y"}));
  EXPECT_EQ(with_place("run {build}", kBuildPlace, "/{build}"), "run '/{build}'");
}

}  // namespace
}  // namespace kernsweep
