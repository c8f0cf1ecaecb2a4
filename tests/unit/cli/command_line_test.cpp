#include "cli/grammar/command_line.hpp"

#include <gmock/gmock.h>

#include <set>

#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

std::string refusal(const std::vector<std::string>& words) {
  const Status taken = check_command_line(words);
  return taken ? "" : taken.error().message;
}

TEST(CommandLine, EveryCommandIsListedOnceWithItsExitStatuses) {
  std::set<std::string> names;
  for (const CommandGroup& group : all_commands()) {
    EXPECT_FALSE(group.commands.empty()) << group.title;
    for (const CommandEntry& entry : group.commands) {
      EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " twice";
      EXPECT_FALSE(entry.what.empty()) << entry.name;
      EXPECT_THAT(entry.footer, ::testing::HasSubstr("Exit status: 0 ")) << entry.name;
    }
  }
  EXPECT_TRUE(names.contains("run"));
}

TEST(CommandLine, AnOptionBelongsToItsCommand) {
  EXPECT_EQ(refusal({"best", "x.db", "--metric", "gflops"}), "");
  EXPECT_THAT(refusal({"run", "x.yaml", "--metric", "gflops"}), IsGolden());
  EXPECT_THAT(refusal({"--metric", "gflops", "best", "x.db"}), IsGolden());
}

TEST(CommandLine, OptionsOfHyperfineHaveACounterpart) {
  for (const char* option :
       {"-w", "--warmup", "-r", "-P", "-L", "-n", "-s", "-p", "--prepare", "-N", "-i", "-x"})
    EXPECT_THAT(refusal({"run", "-c", "ls", option, "3"}), IsGolden());
  EXPECT_THAT(refusal({"best", "x.db", "-w", "3"}), IsGolden());
}

TEST(CommandLine, SaysWhatIsMissing) {
  EXPECT_THAT(refusal({}), IsGolden());
  EXPECT_THAT(refusal({"bets", "x.db"}), IsGolden());
  EXPECT_THAT(refusal({"best"}), IsGolden());
  EXPECT_THAT(refusal({"keys"}), IsGolden());
  EXPECT_THAT(refusal({"keys", "add"}), IsGolden());
  EXPECT_THAT(refusal({"worker"}), IsGolden());
}

TEST(CommandLine, RefusesValuesThatNoCommandTakes) {
  EXPECT_THAT(refusal({"replay", "x.db", "1", "--processes", "0"}), IsGolden());
  EXPECT_THAT(refusal({"best", "x.db", "--better", "higher"}), IsGolden());
  EXPECT_THAT(refusal({"coordinator", "x.yaml", "--listen", "tcp://*:1", "--metrics", ""}), IsGolden());
  EXPECT_THAT(refusal({"status", "--join", "a", "--connect", "b"}), IsGolden());
  EXPECT_THAT(refusal({"export", "x.db", "--all", "--sweep", "x"}), IsGolden());
  EXPECT_THAT(refusal({"worker", "--join", "x", "--wait", "nan"}), IsGolden());
}

// An unset variable of a shell is an empty word. Taken as "not given" it would answer another question.
TEST(CommandLine, NoOptionTakesAnEmptyWord) {
  const std::vector<std::vector<std::string>> bad = {
      {"best", ""},
      {"best", "x.db", "--grade", ""},
      {"best", "x.db", "--by", ""},
      {"best", "x.db", "--metric="},
      {"best", "x.db", "--sweep", ""},
      {"best", "x.db", "--better", ""},
      {"bits", "x.db", "--sweep", ""},
      {"claims", "x.db", "--margin", ""},
      {"claims", "x.db", "--junit", ""},
      {"compare", "x.db", "a=1", ""},
      {"compare", "x.db", "a=1", "a=2", "--where", ""},
      {"compare", "x.db", "a=1", "a=2", "--db", ""},
      {"export", "x.db", "--sweep", ""},
      {"replay", "x.db", "1", "--patience", ""},
      {"roofs", "--of", ""},
      {"run", "x.yaml", "--set", ""},
      {"run", "x.yaml", "--only", ""},
      {"run", "x.yaml", "--memory", ""},
      {"show", "x.db", "1", "--diff", ""},
      {"show", "x.db", "1", "--roofs", ""},
      {"sql", "x.db", ""},
      {"worker", "--join", ""},
  };
  for (const std::vector<std::string>& words : bad)
    EXPECT_NE(refusal(words), "") << ::testing::PrintToString(words);
  EXPECT_THAT(refusal({"best", "x.db", "--grade", ""}), IsGolden());
  EXPECT_EQ(refusal({"best", "x.db", "--grade", "B"}), "");
}

// A list takes one word each time it is given: what follows is an argument again.
TEST(CommandLine, AListTakesOneWordAtATime) {
  EXPECT_EQ(refusal({"run", "--set", "a=1", "--set", "b=2", "x.yaml"}), "");
  EXPECT_EQ(refusal({"best", "--by", "m,n", "x.db"}), "");
  EXPECT_THAT(refusal({"run", "x.yaml", "y.yaml"}), IsGolden());
}

TEST(CommandLine, AWorkersOptionsAreCheckedForALauncher) {
  EXPECT_TRUE(check_worker_options({"--cores", "4", "--tag", "rack=7"}));
  for (const std::vector<std::string>& bad : std::vector<std::vector<std::string>>{
           {"--cores", "0"}, {"--name", "17"}, {"--help"}, {"--drain-time", "-1"}}) {
    const Status checked = check_worker_options(bad);
    ASSERT_FALSE(checked) << bad.front();
    EXPECT_THAT(checked.error().message, IsGolden());
  }
}

}  // namespace
}  // namespace kernsweep
