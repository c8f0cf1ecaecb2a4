#include "worker/host/stopped_processes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace kernsweep {
namespace {

TEST(ListedProcess, IsReadWithANameOfAnyKind) {
  const std::string stopped =
      "25 (a (b) c) T 7 25463 5977 0 -1 4194304 136 0 0 0 0 0 0 0 20 0 1 0 6900672 2654208 396 "
      "18446744073709551615 94427234091008 94427234167737 140730517082832 0 0 0 0 6 65536 1 0 0 17 1 0 0 0 "
      "0 0 "
      "94427234197040 94427234202176 94428192055776 140730517084813 140730517084833 140730517084833 "
      "140730517086188 21";
  const auto state = listed_process_of(stopped);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->process, 25);
  EXPECT_EQ(state->parent, 7);
  EXPECT_EQ(state->name, "a (b) c");
  EXPECT_EQ(state->state, 'T');
  EXPECT_EQ(state->signal, SIGTTIN);
  EXPECT_EQ(listed_process_of("25 (a) T 7 5 5")->signal, 0);
  EXPECT_FALSE(listed_process_of("cpu  1 2 3"));
  EXPECT_FALSE(listed_process_of("25 (a)"));
}

TEST(StoppedProcesses, AreFoundBelowTheRootAlone) {
  const std::vector<ListedProcess> processes = {{4, 3, "deep", 'T', SIGTTOU},
                                                {2, 1, "root", 'S', 0},
                                                {3, 2, "sh", 'S', 0},
                                                {9, 1, "other", 'T', SIGSTOP},
                                                {5, 2, "traced", 't', 0}};
  const std::string found = stopped_in(processes, 2);
  EXPECT_NE(found.find("deep"), std::string::npos);
  EXPECT_NE(found.find("SIGTTOU"), std::string::npos);
  EXPECT_EQ(stopped_in(processes, 5), "");
  EXPECT_NE(stopped_in(processes, 9).find("other was stopped by SIGSTOP"), std::string::npos);
  EXPECT_EQ(stopped_in({{2, 2, "odd", 'S', 0}}, 2), "");
}

TEST(StoppedProcesses, AndThoseThatBlockTheQuestionAreFound) {
  const std::vector<ListedProcess> processes = {{4, 3, "deep", 'S', 0, true}, {3, 2, "sh", 'S', 0, false}};
  EXPECT_NE(blocking_in(processes, 3).find("its process deep blocks SIGQUIT"), std::string::npos);
  EXPECT_EQ(blocking_in(processes, 5), "");
  EXPECT_EQ(blocking_in({{4, 3, std::string(kWardenName), 'S', 0, true}, {5, 3, "sleep", 'S', 0}}, 3), "")
      << "a helper of the slot";
  const std::string line =
      "25 (a) S 7 25463 5977 0 -1 4194304 136 0 0 0 0 0 0 0 20 0 1 0 6900672 2654208 396 "
      "18446744073709551615 1 1 1 0 0 0 {} 0 0 1 0 0 17 1 0 0 0 0 0 1 1 1 1 1 1 1 0";
  EXPECT_TRUE(listed_process_of(fmt::format(fmt::runtime(line), 2147467263))->blocks_quit);
  EXPECT_FALSE(listed_process_of(fmt::format(fmt::runtime(line), 1 << (SIGTERM - 1)))->blocks_quit);
}

TEST(StoppedProcesses, OfThisHostAreSeen) {
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    _exit(0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, WUNTRACED), child);
  EXPECT_NE(stopped_below(getpid()).find("was stopped by"), std::string::npos);
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  EXPECT_EQ(stopped_below(getpid()), "");
}

}  // namespace
}  // namespace kernsweep
