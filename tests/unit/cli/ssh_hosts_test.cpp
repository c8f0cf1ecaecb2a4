#include "cli/launch/ssh_hosts.hpp"

#include <gmock/gmock.h>

#include "cli/grammar/replacement_words.hpp"
#include "cli/launch/ssh_session.hpp"
#include "cli/program.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string refusal(const std::string& text) {
  const auto hosts = parse_hosts(text, "hosts.txt");
  return hosts ? "accepted" : hosts.error().message;
}

TEST(SshHosts, AreReadWithUserPortAndOptions) {
  const auto hosts = parse_hosts(
      "# machines\n\nnode1\r\n  ann@node2.example:2222 --cores 8  # the big "
      "one\n[2001:db8::7]:22\n2001:db8::8\nnode1",
      "hosts.txt");
  ASSERT_TRUE(hosts);
  ASSERT_EQ(hosts->size(), 5U);
  EXPECT_EQ((*hosts)[0].destination, "node1");
  EXPECT_EQ((*hosts)[0].port, 0);
  EXPECT_THAT((*hosts)[0].worker_options, IsEmpty());
  EXPECT_EQ((*hosts)[1].destination, "ann@node2.example");
  EXPECT_EQ((*hosts)[1].port, 2222);
  EXPECT_THAT((*hosts)[1].worker_options, ElementsAre("--cores", "8"));
  EXPECT_EQ((*hosts)[2].destination, "2001:db8::7");
  EXPECT_EQ((*hosts)[2].port, 22);
  EXPECT_EQ((*hosts)[3].destination, "2001:db8::8");
  EXPECT_EQ((*hosts)[3].port, 0);
}

TEST(SshHosts, ThatAreNoneAreRefusedWithTheirLine) {
  EXPECT_THAT(refusal("node1\n\nnode2:0"), IsGolden());
  for (const char* bad : {"a:65536", "a:", "a:22x", "a:-1", "[::1]22", "[::1"})
    EXPECT_THAT(refusal(bad), IsGolden()) << bad;
  for (const char* bad : {"-oProxyCommand=x", "ann@-x", "-x@a", "@a", "ann@", "a;b", "a$(b)", "a'b"})
    EXPECT_THAT(refusal(bad), IsGolden()) << bad;
  EXPECT_THAT(refusal("a --join=x"), IsGolden());
  for (const char* empty : {"", "\n\n", "# node1\n"}) EXPECT_THAT(refusal(empty), IsGolden());
}

TEST(SshHosts, InAFileThatIsNotThereSayWhichFile) {
  const auto hosts = read_hosts("no/such/file");
  ASSERT_FALSE(hosts);
  EXPECT_THAT(hosts.error().message, IsGolden());
}

TEST(SshWords, AskNothingAndEndTheOptionsBeforeTheHost) {
  SshHost host;
  host.destination = "node1";
  host.port = 2222;
  const auto words = ssh_words(host);
  ASSERT_GE(words.size(), 4U);
  EXPECT_THAT(words, ::testing::IsSupersetOf({"BatchMode=yes", "-p", "2222"}));
  EXPECT_EQ(words[words.size() - 2], "--");
  EXPECT_EQ(words.back(), "node1");
}

TEST(ReplacementWords, ReadBackAsTheSameReplacements) {
  Replacements given;
  given.axes = {"n=[1, 2]", "-x=1"};
  given.settings = {"seed=2"};
  given.only = "a == \"b c\"";
  given.sample = "10%";
  given.quick = true;
  EXPECT_THAT(words_of(given), ElementsAre("--axis", "n=[1, 2]", "--axis=-x=1", "--set", "seed=2", "--only",
                                           "a == \"b c\"", "--sample", "10%", "--quick"));
  EXPECT_THAT(words_of({}), IsEmpty());
}

TEST(Program, GivesStatusAndBothStreams) {
  const auto ended = run_program({{"sh", "-c", "echo out; echo err >&2; exit 7"}});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->status, 7);
  EXPECT_EQ(ended->output, "out\n");
  EXPECT_EQ(ended->errors, "err\n");
  const auto killed = run_program({{"sh", "-c", "kill -9 $$"}});
  ASSERT_TRUE(killed);
  EXPECT_EQ(killed->status, 128 + 9);
}

TEST(Program, ThatIsNotThereIsAnError) {
  const auto ended = run_program({{"no-such-program-of-kernsweep"}});
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, IsGolden());
  EXPECT_FALSE(find_program("no-such-program-of-kernsweep"));
  EXPECT_TRUE(find_program("sh"));
}

TEST(Program, OfAFloodOfWordsTheLastAreKept) {
  const auto ended =
      run_program({{"sh", "-c", "i=0; while [ $i -lt 40000 ]; do echo line $i; i=$((i+1)); done"}});
  ASSERT_TRUE(ended);
  EXPECT_LT(ended->output.size(), 200'000U);
  EXPECT_TRUE(ended->output.ends_with("line 39999\n"));
}

TEST(LastLines, AreTheLastOnes) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2, "  "), "  b\n  c");
  EXPECT_EQ(last_lines("a\nb", 5, "> "), "> a\n> b");
  EXPECT_EQ(last_lines("a\r\nb\r\n\n", 1, ""), "b");
  EXPECT_EQ(last_lines("", 3, "  "), "");
  EXPECT_EQ(last_lines("\n\n", 3, "  "), "");
}

}  // namespace
}  // namespace kernsweep
