#include "kernels/command/shell_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

namespace kernsweep::command {
namespace {

using ::testing::ElementsAre;

// Commands as "x!", inputs as "<x".
std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (const ShellWord& word : words_of_shell(text))
    out.push_back((word.is_input ? "<" : "") + word.text + (word.is_command ? "!" : ""));
  return out;
}

TEST(ShellWords, AreThoseOfEachCommand) {
  EXPECT_THAT(words("./sum < data.txt"), ElementsAre("./sum!", "<data.txt"));
  EXPECT_THAT(words("<in ./sum>out 2>&1 x"), ElementsAre("<in", "./sum!", "2", "x!"));
  EXPECT_THAT(words("LD_PRELOAD=./pre.so A= ./x --f=b.txt"),
              ElementsAre("./pre.so", "./x!", "--f", "b.txt"));
  EXPECT_THAT(words("cd a && ./b; (./c|./d) &\n# ./e\n./f a#b"),
              ElementsAre("cd!", "a", "./b!", "./c!", "./d!", "./f!", "a#b"));
  EXPECT_THAT(words("exec './a b' \"$x\" \\\n -c"), ElementsAre("exec!", "./a", "b", "$x", "-c"));
  EXPECT_THAT(words("a=`./x` b=$(./y)"), ElementsAre("`./x`", "$(./y)"));
  EXPECT_THAT(words("echo >> runs; wc -l < runs"), ElementsAre("echo!", "wc!", "-l")) << "its own state";
  EXPECT_THAT(words(""), ElementsAre());
  EXPECT_THAT(words("#"), ElementsAre());
  EXPECT_THAT(words("\\"), ElementsAre("\\!"));
}

TEST(ShellWords, TheTextIsThatOfAShellAlone) {
  const std::string path = ::testing::TempDir() + "shell_words_" + std::to_string(getpid());
  const auto write = [&](const std::string& text) { std::ofstream(path) << text; };
  write("#!/usr/bin/env bash\n./x\n");
  EXPECT_EQ(shell_text({"/bin/sh", "-ec", "./x", "y"}, 0, ""), "./x");
  EXPECT_EQ(shell_text({"env", "bash", "+x", "-c", "./x"}, 1, ""), "./x");
  EXPECT_EQ(shell_text({"sh", path}, 0, ""), "#!/usr/bin/env bash\n./x\n");
  EXPECT_EQ(shell_text({path}, 0, path), "#!/usr/bin/env bash\n./x\n");
  EXPECT_EQ(shell_text({"sh", "-c"}, 0, ""), "");
  EXPECT_EQ(shell_text({"python3", "-c", "./x"}, 0, ""), "");
  EXPECT_EQ(shell_text({}, 0, ""), "");
  write("#!/usr/bin/python3\n./x\n");
  EXPECT_EQ(shell_text({path}, 0, path), "");
  write("#!/bin/sh\n" + std::string(1 << 16, '\n'));
  EXPECT_EQ(shell_text({path}, 0, path), "");
  std::remove(path.c_str());
}

}  // namespace
}  // namespace kernsweep::command
