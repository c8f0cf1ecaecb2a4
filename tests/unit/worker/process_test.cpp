#include "worker/process/process.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

namespace kernsweep {
namespace {

constexpr int kLimitMs = 20000;

std::string read_all(int descriptor) {
  std::string out;
  char buffer[4096];
  while (true) {
    pollfd readable{descriptor, POLLIN, 0};
    if (poll(&readable, 1, kLimitMs) <= 0) return out + " (no end)";
    const ssize_t got = read(descriptor, buffer, sizeof buffer);
    if (got <= 0) return out;
    out.append(buffer, static_cast<std::size_t>(got));
  }
}

Child::Ending end_of(Child& child) {
  pollfd ended{child.exited(), POLLIN, 0};
  EXPECT_EQ(poll(&ended, 1, kLimitMs), 1) << "the child does not end";
  const auto ending = child.reap();
  EXPECT_TRUE(ending.has_value());
  return ending.value_or(Child::Ending{});
}

Launch shell(const std::string& script) {
  Launch launch;
  launch.program = "/bin/sh";
  launch.arguments = {"-c", script};
  launch.capture_output = true;
  return launch;
}

TEST(Launch, ReportsTheExitStatus) {
  auto child = launch(shell("exit 3"));
  ASSERT_TRUE(child);
  const Child::Ending ending = end_of(*child);
  EXPECT_FALSE(ending.signalled);
  EXPECT_EQ(ending.number, 3);
  EXPECT_EQ(describe(ending), "exited with status 3");
}

TEST(Launch, ReportsTheSignalByName) {
  auto child = launch(shell("kill -SEGV $$"));
  ASSERT_TRUE(child);
  const Child::Ending ending = end_of(*child);
  EXPECT_TRUE(ending.signalled);
  EXPECT_EQ(describe(ending), "killed by SIGSEGV (Segmentation fault)");
}

TEST(Launch, AProgramThatCannotBeExecutedExitsWith127) {
  Launch start;
  start.program = "/nonexistent/program";
  auto child = launch(start);
  ASSERT_TRUE(child);
  EXPECT_EQ(end_of(*child).number, 127);
}

TEST(Launch, GivesExactlyTheNamedEnvironment) {
  setenv("KERNSWEEP_TEST_LEAK", "1", 1);
  Launch start;
  start.program = "/usr/bin/env";
  start.environment = {"A=1", "B=two words"};
  start.capture_output = true;
  auto child = launch(start);
  ASSERT_TRUE(child);
  EXPECT_EQ(read_all(child->output()), "A=1\nB=two words\n");
}

TEST(Launch, TheSetupIsOnDescriptorThreeAndNothingElseIsOpen) {
  // Without close-on-exec, and at a number that no shell opens itself.
  const int leaked = fcntl(STDERR_FILENO, F_DUPFD, 100);
  ASSERT_GE(leaked, 100);
  Launch start =
      shell("cat <&3; [ -e /proc/$$/fd/" + std::to_string(leaked) + " ] && echo leaked || echo closed");
  start.environment = {"PATH=/usr/bin:/bin"};
  start.setup = "hello ";
  auto child = launch(start);
  ASSERT_TRUE(child);
  EXPECT_EQ(read_all(child->output()), "hello closed\n");
  close(leaked);
}

TEST(Launch, BindsBeforeTheProgramStarts) {
  cpu_set_t ours;
  CPU_ZERO(&ours);
  ASSERT_EQ(sched_getaffinity(0, sizeof ours, &ours), 0);
  std::uint32_t cpu = 0;
  while (!CPU_ISSET(cpu, &ours)) ++cpu;
  Launch start = shell("grep Cpus_allowed_list /proc/$$/status");
  start.environment = {"PATH=/usr/bin:/bin"};
  start.cpus = {cpu};
  auto child = launch(start);
  ASSERT_TRUE(child);
  EXPECT_EQ(read_all(child->output()), "Cpus_allowed_list:\t" + std::to_string(cpu) + "\n");
}

TEST(Launch, StandardErrorIsKeptApart) {
  auto child = launch(shell("echo out; echo err >&2"));
  ASSERT_TRUE(child);
  EXPECT_EQ(read_all(child->output()), "out\n");
  EXPECT_EQ(read_all(child->errors()), "err\n");
}

TEST(Launch, KillingTheGroupReachesWhatTheChildHasStarted) {
  Launch start = shell("sh -c 'echo $$; exec tail -f /dev/null' & wait");
  start.environment = {"PATH=/usr/bin:/bin"};
  auto child = launch(start);
  ASSERT_TRUE(child);
  char digits[32] = "";
  pollfd readable{child->output(), POLLIN, 0};
  ASSERT_EQ(poll(&readable, 1, kLimitMs), 1);
  ASSERT_GT(read(child->output(), digits, sizeof digits - 1), 0);
  child->kill_group();
  EXPECT_EQ(describe(end_of(*child)), "killed by SIGKILL (Killed)");
  // Its own end closes the pipe: read_all returns only when the grandchild is gone as well.
  EXPECT_EQ(read_all(child->output()), "");
}

}  // namespace
}  // namespace kernsweep
