// Command lines as the pack takes them apart.
#include "kernels/command/words.hpp"

#include <gmock/gmock.h>

#include "language/command_template.hpp"

namespace kernsweep::command {
namespace {

using Words = std::vector<std::string>;

TEST(Words, AreWhatAPosixShellMakesOfThem) {
  EXPECT_EQ(words_of(" a  b\tc\n"), (Words{"a", "b", "c"}));
  EXPECT_EQ(words_of(R"(a 'b c' "d 'e" f\ g)"), (Words{"a", "b c", "d 'e", "f g"}));
  EXPECT_EQ(words_of(R"(a'b'"c"d)"), (Words{"abcd"}));
  EXPECT_EQ(words_of(R"('' "")"), (Words{"", ""}));
  EXPECT_EQ(words_of(R"("\$\`\"\\\n" '\n' \n)"), (Words{R"($`"\\n)", R"(\n)", "n"}));
  EXPECT_EQ(words_of("a\\\nb \"c\\\nd\""), (Words{"ab", "cd"}));
  EXPECT_EQ(words_of("$x * | > ; &"), (Words{"$x", "*", "|", ">", ";", "&"}));
}

TEST(Words, OfNothingAreNone) {
  EXPECT_EQ(words_of(""), Words{});
  EXPECT_EQ(words_of(" \n"), Words{});
}

TEST(Words, WhatIsNotClosedIsNoCommand) {
  for (const char* line : {"'a", "a \"b", "\"a\\\"", "a\\", "\\", "'"})
    EXPECT_EQ(words_of(line), std::nullopt) << line;
}

// The coordinator quotes, the pack takes apart; they share no code, so this is where they are held
// together.
TEST(Words, AreThoseThatTheCoordinatorQuoted) {
  const Words awkward = {"",      " ", "it's", "\"",     "\\",          "\\\\n",  "a b",
                         "$HOME", "*", "'''",  "a'b\"c", "caf\xC3\xA9", "-x=1,2", "a\nb",
                         "#",     "~", "'",    "{}",     "--k=v"};
  std::string line;
  for (const std::string& word : awkward) line += (line.empty() ? "" : " ") + quoted_word(word);
  EXPECT_EQ(words_of(line), awkward);
  // And every single byte that a text can hold.
  for (int byte = 1; byte < 256; ++byte) {
    const std::string word = {'a', static_cast<char>(byte), 'b'};
    EXPECT_EQ(words_of(quoted_word(word)), Words{word}) << byte;
  }
}

}  // namespace
}  // namespace kernsweep::command
