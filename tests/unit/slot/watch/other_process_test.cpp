#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "worker/slot/watch/gauges.hpp"
#include "worker/slot/watch/linux_usage.hpp"

namespace kernsweep {
namespace {

// Uses so much processor time, then says so and waits.
[[noreturn]] void burn(double seconds, int done) {
  timespec now{};
  do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  while (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 < seconds);
  if (write(done, "", 1) != 1) _exit(1);
  while (true) pause();
}

// A process that a kernel keeps, such as one of a pool, is the job's own load and not that of others.
TEST(OtherProcesses, ThoseThatWereStartedCountWhileTheyLiveAndAfterwards) {
  constexpr double kEach = 0.05;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const double before = cpu_seconds_of_descendants(getpid()).value_or(-1);
  if (before < 0) GTEST_SKIP() << "this system does not list the children of a process";
  const auto gauges = system_gauges({}, {});
  const double used = gauges->use().cpu_s;
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    if (fork() == 0) burn(kEach, ends[1]);
    burn(kEach, ends[1]);
  }
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  ASSERT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_GE(cpu_seconds_of_descendants(getpid()).value_or(0), before + 2 * kEach);
  EXPECT_GE(gauges->use().cpu_s, used + 2 * kEach);
  kill(-child, SIGKILL);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_GE(gauges->use().cpu_s, used + kEach) << "one that has ended and was waited for";
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace kernsweep
