#include "shared/lists/launched_program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace kernsweep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> split(const std::string& line) {
  std::istringstream text(line);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  return words;
}

// The record of the program that the command starts; "" if it starts none.
std::string recorded(const std::vector<std::string>& words) {
  if (!is_launcher(words.front())) return "";
  const Launched by = launched_by(words, {"A=1", "PATH=/bin"});
  return by.at < by.words.size() ? name_of_launched(by, by.words[by.at]) : "unread";
}
std::string recorded(const std::string& line) {
  return recorded(split(line));
}

TEST(LaunchedPrograms, AreBehindTheWordsOfWhatStartsThem) {
  EXPECT_EQ(recorded("env LD_LIBRARY_PATH=lib B=2 ./m x=1 -C y"), "env LD_LIBRARY_PATH=lib B=2 ./m");
  EXPECT_EQ(recorded("/usr/bin/env -u FOO --unset BAR -uX LD_PRELOAD=./k.so ./m"),
            "env -u FOO -u BAR -u X LD_PRELOAD=./k.so ./m");
  for (const char* way : {"-C bin", "-Cbin", "--chdir bin", "--chdir=bin", "--chd=bin", "-vC bin"})
    EXPECT_EQ(recorded("env " + std::string(way) + " ./m"), "env -C bin ./m") << way;
  for (const char* way : {"-", "-i", "-0i", "--ignore-environment", "--ignore -- "})
    EXPECT_EQ(recorded("env " + std::string(way) + " A=2 ./m"), "env -i A=2 ./m") << way;
  EXPECT_EQ(
      recorded("/lib64/ld-linux-x86-64.so.2 --inhibit-cache --library-path lib --preload k.so ./m -i"),
      "env LD_LIBRARY_PATH=lib LD_PRELOAD=k.so ./m");
  EXPECT_EQ(recorded({"env", "-S", "A=2 ./m -x", "y"}), "env A=2 ./m");
  EXPECT_EQ(recorded({"env", "A=a b\\", "./my m"}), "env A=a\\ b\\\\ ./my\\ m");
}

TEST(LaunchedPrograms, AreFoundBehindEachOther) {
  for (const char* way :
       {"nice", "nice -n 5", "nice -5", "nice --adjustment=5", "time -p", "time -f %e -o out", "nohup",
        "setsid -w", "stdbuf -oL", "stdbuf -o L", "stdbuf --output=L", "taskset 0x3", "taskset -c 0-3",
        "ionice -c 2 -n 4", "numactl -N 0 --membind 0", "numactl --cpunodebind=0 -l", "timeout 5",
        "timeout -k 1 -s INT 5", "chrt -f 10"}) {
    EXPECT_EQ(recorded(std::string(way) + " ./m 5"), "env ./m") << way;
    EXPECT_EQ(recorded(std::string(way) + " env -C bin A=2 nice ./m"), "env env -C bin A=2 env ./m") << way;
  }
}

TEST(LaunchedPrograms, OfOtherProgramsAndUnreadWordsAreNone) {
  for (const char* other : {"./m", "./env A=1 ./m", "bin/nice ./m", "/usr/local/bin/env ./m", "ld ./m",
                            "sh -c ./m", "python3 x.py"})
    EXPECT_EQ(recorded(other), "") << other;
  for (const char* unread : {"env", "env A=1", "env -C", "timeout 5", "taskset 1", "nice -n"})
    EXPECT_EQ(recorded(unread), "unread") << unread;
  const Launched by = launched_by({"env", "-C", "bin", "-S", "A='b c' ./m"}, {"A=1"});
  EXPECT_EQ(by.at, by.words.size());
  EXPECT_EQ(by.folder, "");
  EXPECT_THAT(by.environment, ElementsAre("A=1"));
}

TEST(LaunchedPrograms, GetTheVariablesAndTheFolderOfTheWords) {
  const std::vector<std::string> first = {"A=1", "B=2", "PATH=/bin"};
  const Launched by = launched_by(split("env -u A B=3 nice env -C x -C y/z ./m"), first);
  EXPECT_THAT(by.environment, ElementsAre("PATH=/bin", "B=3"));
  EXPECT_EQ(path_of_program(by, "./m"), "x/y/z/./m");
  EXPECT_EQ(path_of_program(by, "sh"), "/bin/sh");
  EXPECT_EQ(path_of_word(by, "data"), "x/y/z/data");
  EXPECT_EQ(path_of_word(by, "/data"), "/data");
  EXPECT_THAT(launched_by(split("env -i ./m"), first).environment, IsEmpty());
  const Launched again = launched_of_name(name_of_launched(by, "./my m"), first);
  EXPECT_EQ(again.words[again.at], "./my m");
  EXPECT_EQ(again.folder, by.folder);
  EXPECT_EQ(again.environment, by.environment);
}

}  // namespace
}  // namespace kernsweep
