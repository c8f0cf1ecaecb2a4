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

TEST(LastWords, OfAThreadWithoutPythonCodeAreNothing) {
  EXPECT_EQ(what_it_did("Current thread 0x00007f02 (most recent call first):\n  <no Python frame>\n"), "");
}

TEST(LastWords, OfAProgramAreTheLinesThatItsSlotReports) {
  EXPECT_EQ(
      what_it_did("careful\n" + std::string(kProgramSaid) + " on stdout: part 1; on stderr: careful\n"),
      "the program's last line on stdout: part 1; on stderr: careful");
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
