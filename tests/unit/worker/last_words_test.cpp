#include "worker/process/last_words.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

TEST(LastWords, OfPythonAreTheInnermostCallsOfTheThreadThatComputes) {
  EXPECT_EQ(what_it_did("started\n"
                        "Thread 0x00007f01 (most recent call first):\n"
                        "  File \"/usr/lib/python3.11/threading.py\", line 320 in wait\n\n"
                        "Current thread 0x00007f02 [main] (most recent call first):\n"
                        "  File \"/srv/code/hang.py\", line 8 in inner\n"
                        "  File \"hang.py\", line 12 in <lambda>\n"
                        "  File \"/opt/libexec/kernsweep-slot.py\", line 90 in main\n"
                        "  File \"/opt/libexec/kernsweep-slot.py\", line 97 in <module>\n"),
            "it was at hang.py:8 in inner, called from hang.py:12 in <lambda>");
}

TEST(LastWords, OfPythonAreTheInnermostCallAndTheUsersOwn) {
  const std::string current = "Current thread 0x00007f02 (most recent call first):\n";
  const std::string library =
      "  File \"/usr/lib/python3.11/selectors.py\", line 415 in select\n"
      "  File \"/usr/lib/python3.11/subprocess.py\", line 2108 in _communicate\n"
      "  File \"/usr/lib/python3.11/subprocess.py\", line 1209 in communicate\n"
      "  File \"<frozen importlib._bootstrap>\", line 241 in load\n";
  const std::string package =
      "  File \"/srv/venv/lib/python3.11/site-packages/torch/loader.py\", line 7 in next\n";
  const std::string own =
      "  File \"/srv/h.py\", line 4 in a\n  File \"/srv/h.py\", line 9 in b\n  File \"/srv/h.py\", line 12 "
      "in c\n";
  EXPECT_EQ(what_it_did(current + library + package + own),
            "it was at selectors.py:415 in select, called from h.py:4 in a, called from h.py:9 in b");
  EXPECT_EQ(what_it_did(current + library + package),
            "it was at selectors.py:415 in select, called from loader.py:7 in next");
  EXPECT_EQ(what_it_did(current + own),
            "it was at h.py:4 in a, called from h.py:9 in b, called from h.py:12 in c");
  EXPECT_EQ(what_it_did(current + package + own),
            "it was at loader.py:7 in next, called from h.py:4 in a, called from h.py:9 in b");
}

TEST(LastWords, OfAThreadWithoutPythonCodeAreNothing) {
  EXPECT_EQ(what_it_did("Current thread 0x00007f02 (most recent call first):\n  <no Python frame>\n"), "");
}

TEST(LastWords, OfAProgramAreTheLinesThatItsSlotReports) {
  EXPECT_EQ(what_it_did("careful\n" + std::string(kProgramSaid) +
                        "'s last line on stdout: part 1; on stderr: careful\n"),
            "the program's last line on stdout: part 1; on stderr: careful");
  EXPECT_EQ(what_it_did("no newline yet\n" + std::string(kProgramSaid) +
                        "'s last line on stderr: no newline yet\nmore\n"),
            "the program's last line on stderr: no newline yet")
      << "it continues to print";
  EXPECT_EQ(what_it_did(std::string(kProgramSaid) + " has printed nothing\n"),
            "the program has printed nothing");
}

TEST(LastWords, OtherwiseAreTheLastLineThatIsNotBlankAtABoundedLength) {
  EXPECT_EQ(what_it_did("one\ntwo \n\n \n"), "its last line on stderr: two");
  EXPECT_EQ(what_it_did(std::string(400, 'x')),
            "its last line on stderr: " + std::string(300, 'x') + "...");
  EXPECT_EQ(what_it_did(""), "");
  EXPECT_EQ(what_it_did("\n \n"), "");
}

}  // namespace
}  // namespace kernsweep
