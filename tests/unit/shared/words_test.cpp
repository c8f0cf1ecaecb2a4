// Outcome names, text from others, and where the installation lies.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "shared/base/installation.hpp"
#include "shared/base/outcome.hpp"
#include "shared/text/utf8.hpp"
#include "tests/golden_text/places.hpp"

namespace kernsweep {
namespace {

TEST(OutcomeNames, AreTheWordsOfTheDatabase) {
  const std::vector<std::pair<Outcome, std::string>> all = {{Outcome::ok, "ok"},
                                                            {Outcome::unsupported, "unsupported"},
                                                            {Outcome::wrong_result, "wrong_result"},
                                                            {Outcome::failed_setup, "failed_setup"},
                                                            {Outcome::failed_run, "failed_run"},
                                                            {Outcome::signal, "signal"},
                                                            {Outcome::timeout_setup, "timeout_setup"},
                                                            {Outcome::timeout_run, "timeout_run"},
                                                            {Outcome::out_of_memory, "out_of_memory"},
                                                            {Outcome::worker_lost, "worker_lost"},
                                                            {Outcome::cancelled, "cancelled"},
                                                            {Outcome::unplaceable, "unplaceable"},
                                                            {Outcome::skipped, "skipped"},
                                                            {Outcome::failed_build, "failed_build"}};
  EXPECT_EQ(all.size(), static_cast<std::size_t>(kLastOutcome));
  for (const auto& [outcome, name] : all) {
    EXPECT_EQ(name_of(outcome), name);
    EXPECT_EQ(outcome_named(name), outcome);
  }
}

TEST(Outcomes, GiveWayWhenNothingWasTriedToTheEnd) {
  for (const Outcome outcome : {Outcome::worker_lost, Outcome::cancelled, Outcome::unplaceable,
                                Outcome::skipped, Outcome::failed_build}) {
    EXPECT_TRUE(gives_way(outcome)) << name_of(outcome);
  }
  for (const Outcome outcome :
       {Outcome::ok, Outcome::failed_run, Outcome::signal, Outcome::timeout_run, Outcome::out_of_memory}) {
    EXPECT_FALSE(gives_way(outcome)) << name_of(outcome);
  }
}

TEST(OutcomeNames, AreExact) {
  for (const char* word : {"", "OK", "ok ", "wrong result", "skippe", "skippedd", "none"}) {
    EXPECT_FALSE(outcome_named(word)) << word;
  }
}

TEST(OutcomeNamesDeathTest, ANumberThatIsNoOutcomeIsOurBug) {
  EXPECT_DEATH((void)name_of(static_cast<Outcome>(0)), "bug");
  EXPECT_DEATH((void)name_of(static_cast<Outcome>(static_cast<int>(kLastOutcome) + 1)), "bug");
}

TEST(Grade, IsTheWorstThatIsSaid) {
  EXPECT_EQ(grade_of(Outcome::ok, false, false), 'A');
  EXPECT_EQ(grade_of(Outcome::ok, false, true), 'B');
  EXPECT_EQ(grade_of(Outcome::ok, true, false), 'C');
  EXPECT_EQ(grade_of(Outcome::ok, true, true), 'C');
  EXPECT_EQ(grade_of(Outcome::wrong_result, false, false), 'X');
  EXPECT_EQ(grade_of(Outcome::signal, true, true), 'X');
}

const std::string kReplacement = "\xEF\xBF\xBD";

TEST(Utf8, LeavesUtf8AsItIs) {
  // One to four bytes: U+0041, U+00E9, U+20AC, U+1F600, and the limits of each length.
  for (const std::string text :
       {"", "A", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x7F", "\xC2\x80", "\xDF\xBF",
        "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80",
        "\xF4\x8F\xBF\xBF", "a\xE2\x82\xAC b"}) {
    EXPECT_EQ(as_utf8(text), text);
  }
  EXPECT_EQ(as_utf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(Utf8, ReplacesEachByteThatBelongsToNothing) {
  EXPECT_EQ(as_utf8("a\xFFz"), "a" + kReplacement + "z");
  EXPECT_EQ(as_utf8("\x80"), kReplacement);
  EXPECT_EQ(as_utf8("cut \xE2\x82"),
            "cut " + kReplacement + kReplacement);  // the euro sign without its end
  EXPECT_EQ(as_utf8("\xE2(\xA1"), kReplacement + "(" + kReplacement);
  EXPECT_EQ(as_utf8("\xC3\xC3\xA9"), kReplacement + "\xC3\xA9");
}

TEST(Utf8, RefusesOverlongFormsSurrogatesAndWhatIsTooLarge) {
  for (const std::string bad : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xED\xA0\x80",
                                "\xED\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80"}) {
    EXPECT_EQ(utf8_length(bad), 0u);
    std::string expected;
    for (std::size_t i = 0; i < bad.size(); ++i) expected += kReplacement;
    EXPECT_EQ(as_utf8(bad), expected);
  }
  EXPECT_EQ(utf8_length(""), 0u);
}

TEST(Utf8, ForATerminalHoldsNothingThatItObeys) {
  EXPECT_EQ(for_terminal("a\x1b[2Jb\r\t\x7f\x01"), "a [2Jb    ");
  EXPECT_EQ(for_terminal("two\nlines"), "two\nlines");
  EXPECT_EQ(for_terminal("\xC2\x9B"
                         "1m"),
            " 1m")
      << "C1: another way to say ESC [";
  EXPECT_EQ(for_terminal("\xC2\xA0\xC3\xA9\xE2\x82\xAC"), "\xC2\xA0\xC3\xA9\xE2\x82\xAC");
  EXPECT_EQ(for_terminal("\xC2"), kReplacement);
  EXPECT_EQ(for_terminal(""), "");
  // Characters that change the direction of text are removed; letters of a right-to-left script stay.
  EXPECT_EQ(for_terminal("a\u202Eb\u2066c\u061Cd\u200Fe"), "a b c d e");
  EXPECT_EQ(for_terminal("\u05D0\u0627\u2065\u200D"), "\u05D0\u0627\u2065\u200D");
}

TEST(Utf8, OneLineIsCutBetweenCharacters) {
  EXPECT_EQ(one_line("two\nlines", 20), "two lines");
  EXPECT_EQ(one_line("12345678", 8), "12345678");
  EXPECT_EQ(one_line("123456789", 8), "12345\u2026");  // the ellipsis has three bytes
  EXPECT_EQ(one_line("1234\xC3\xA9"
                     "6789",
                     8),
            "1234\u2026");  // the fifth byte begins a character of two
}

// This test lies in <build>/tests, the programs of an installation in <prefix>/bin: siblings.
TEST(Installation, IsFoundBesideTheRunningProgram) {
  const std::string build = build_folder();
  EXPECT_EQ(program_path(), build + "/tests/unit_shared");
  EXPECT_EQ(slot_program(), build + "/libexec/kernsweep/kernsweep-slot");
  unsetenv("KERNSWEEP_PACKS");
  EXPECT_EQ(pack_folders(), std::vector<std::string>{build + "/lib/kernsweep/packs"});
}

TEST(Installation, PacksOfTheUserComeFirstInTheirOrder) {
  const std::string own = build_folder() + "/lib/kernsweep/packs";
  const std::vector<std::pair<const char*, std::vector<std::string>>> cases = {
      {"", {own}},
      {"one", {"one", own}},
      {":", {own}},
      {"one:two", {"one", "two", own}},
      {"::one::", {"one", own}}};
  for (const auto& [listed, folders] : cases) {
    setenv("KERNSWEEP_PACKS", listed, 1);
    EXPECT_EQ(pack_folders(), folders) << listed;
  }
  unsetenv("KERNSWEEP_PACKS");
}

TEST(Installation, PacksAreTheSharedObjectsOfEachFolderInOrder) {
  const std::filesystem::path home =
      std::filesystem::path(testing::TempDir()) / ("kernsweep-pack-files-" + std::to_string(getpid()));
  const std::string one = home / "one", two = home / "two";
  for (const std::string& folder : {one, two}) std::filesystem::create_directories(folder);
  for (const std::string& file :
       {one + "/b.so", one + "/a.so", one + "/readme.txt", one + "/so", two + "/a.so"})
    std::ofstream(file) << "";
  EXPECT_EQ(pack_files({two, one, home / "none", ""}),
            (std::vector<std::string>{two + "/a.so", one + "/a.so", one + "/b.so"}));
  std::filesystem::remove_all(home);
}

TEST(Installation, TellsItsVersion) {
  const std::string version = version_text();
  EXPECT_EQ(std::count(version.begin(), version.end(), '.'), 2) << version;
}

}  // namespace
}  // namespace kernsweep
