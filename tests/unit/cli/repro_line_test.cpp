#include "cli/show/repro_line.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace kernsweep {
namespace {

// The words and lines that a shell makes of `line`: stdout of `sh -c line`.
std::string said_by_shell(const std::string& line) {
  std::string said;
  FILE* const shell = popen(line.c_str(), "r");
  EXPECT_NE(shell, nullptr);
  char buffer[4096];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, shell)) > 0;) said.append(buffer, got);
  EXPECT_EQ(pclose(shell), 0) << line;
  return said;
}

TEST(ReproLine, NamesCoresEnvironmentProgramAndJob) {
  const ReproLine line{{0, 2}, {"A=1", "PATH=/bin"}, {"PATH"}, "/opt/slot", R"({"family":"f"})"};
  EXPECT_EQ(shell_line(line),
            R"(taskset -c 0,2 env -i A=1 PATH="$PATH" /opt/slot --once '{"family":"f"}')");
}

TEST(ReproLine, WithoutCoresBindsNothing) {
  EXPECT_EQ(shell_line({{}, {}, {}, "slot", "{}"}), "env -i slot --once '{}'");
}

// Here `printf` replaces the slot: it prints its arguments.
TEST(ReproLine, AnyTextReachesTheProgramAsItIs) {
  const std::string jobs[] = {"{\"a\":\"it's\"}",
                              "$HOME `date` $(date) \\ \" '",
                              "two\nlines\n",
                              "",
                              "''",
                              "*",
                              "-x",
                              "# no comment",
                              "; exit 7",
                              "\xC3\xBC",
                              "a\tb",
                              "~",
                              "!!"};
  for (const std::string& job : jobs) {
    const ReproLine line{{}, {}, {}, "/usr/bin/printf", job};
    // printf says its words one after the other.
    std::string shell = shell_line(line);
    shell.replace(shell.find("--once"), 6, "'<%s>'");
    EXPECT_EQ(said_by_shell(shell), "<" + job + ">");
  }
}

TEST(ReproLine, TheProgramGetsThisEnvironmentAndNoOther) {
  const std::string note = "it's a \"quoted\" $HOME `x`\n# second line";
  ReproLine line{
      {}, {"EMPTY=", "NOTE=" + note, "PATH=/usr/bin:/bin", "ODD.NAME=1", "Q=a=b"}, {}, "/usr/bin/env", "x"};
  std::string shell = shell_line(line);
  shell = shell.substr(0, shell.find(" --once"));
  EXPECT_EQ(said_by_shell(shell), "EMPTY=\nNOTE=" + note + "\nPATH=/usr/bin:/bin\nODD.NAME=1\nQ=a=b\n");
}

TEST(ReproLine, APathWithBlanksStaysOneWord) {
  EXPECT_EQ(shell_line({{1}, {}, {}, "/my programs/slot", "{}"}),
            "taskset -c 1 env -i '/my programs/slot' --once '{}'");
}

TEST(ReproLine, AVariableEndsAtItsNulAsUnderAWorker) {
  EXPECT_EQ(shell_line({{}, {std::string("A=b\0c", 5)}, {}, "slot", "{}"}), "env -i A=b slot --once '{}'");
}

TEST(ReproLine, NoLineOfACommentIsACommand) {
  EXPECT_EQ(shell_comment("a\nrm b\n"), "# a\n# rm b\n# \n");
  EXPECT_EQ(shell_comment(""), "# \n");
}

}  // namespace
}  // namespace kernsweep
