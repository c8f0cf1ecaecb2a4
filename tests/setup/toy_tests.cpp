// One test for each way in which a test ends, for program_test.py; the filter chooses.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

TEST(Toy, Passes) {
  std::puts("said by a test that passes");
}

TEST(Toy, PassesWithoutANewline) {
  std::fputs("no newline", stdout);
}

// Like a sanitizer that lets the program continue; ends with its status, after a test with more output.
TEST(Reports, InATest) {
  std::puts("said before the report\n==7==WARNING: ThreadSanitizer: data race (pid=7)");
  std::puts("  Write of size 8\nSUMMARY: ThreadSanitizer: data race toy.cpp:1 in write");
  std::puts("said after the report");
}
TEST(Reports, IsFollowed) {
  std::puts("said by the next test");
  std::atexit([] { _exit(66); });
}

TEST(Toy, Fails) {
  std::puts("said before it failed");
  EXPECT_EQ(1 + 1, 3);
}

TEST(Toy, IsSkipped) {
  GTEST_SKIP() << "no such device";
}

TEST(Toy, IsEnded) {
  std::puts("said before the end");
  std::fflush(stdout);
  raise(SIGSEGV);
}

TEST(Toy, Exits) {
  std::exit(0);
}

TEST(Toy, Hangs) {
  std::puts("said before it hung");
  std::fflush(stdout);
  poll(nullptr, 0, -1);
}

// Keeps its output open until the reader of that is gone.
TEST(Toy, LeavesAChild) {
  if (fork() != 0) return;
  pollfd output{STDOUT_FILENO, 0, 0};
  poll(&output, 1, -1);
  _exit(0);
}

class Each : public testing::TestWithParam<int> {};
TEST_P(Each, Passes) {}
INSTANTIATE_TEST_SUITE_P(Numbers, Each, testing::Values(1, 2));

TEST(DISABLED_Toy, NeverRuns) {
  FAIL();
}

TEST(AtTheEnd, TheProgramFails) {
  std::atexit([] {
    std::puts("said at the end");
    std::fflush(stdout);
    _exit(23);
  });
}

}  // namespace
