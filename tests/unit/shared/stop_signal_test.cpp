// Each in a process of its own: signals and descriptors are the whole process's.
#include "shared/base/stop_signal.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "shared/base/wake_up.hpp"

namespace kernsweep {
namespace {

// What `test` returns, in a copy of this process.
int status_of(const std::function<int()>& test) {
  const pid_t pid = fork();
  if (pid == 0) _exit(test());
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void let_no_more_be_opened() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NOFILE, &none);
}

TEST(StopSignal, AHangupIsAWishToStop) {
  EXPECT_EQ(status_of([] {
              const StopSignal stop;
              raise(SIGHUP);
              return stop.count();
            }),
            1);
}

TEST(StopSignal, TheSecondHangupOfOneBrokenLineAsksForNothingMore) {
  EXPECT_EQ(status_of([] {
              const StopSignal stop;
              raise(SIGHUP);
              raise(SIGHUP);
              return stop.count();
            }),
            1);
}

TEST(StopSignal, AnyOtherSignalAfterAHangupIsTheSecond) {
  EXPECT_EQ(status_of([] {
              const StopSignal stop;
              raise(SIGHUP);
              raise(SIGTERM);
              return stop.count();
            }),
            2);
}

TEST(StopSignal, UnderNohupAHangupIsNothing) {
  EXPECT_EQ(status_of([] {
              signal(SIGHUP, SIG_IGN);
              const StopSignal stop;
              raise(SIGHUP);
              return stop.count();
            }),
            0);
}

TEST(StopSignal, WithoutDescriptorsThereIsAReasonAndNoAbort) {
  EXPECT_EQ(status_of([] {
              let_no_more_be_opened();
              const Status ready = StopSignal::prepare();
              return !ready && ready.error().message.find("ulimit -n") != std::string::npos ? 7 : 1;
            }),
            7);
}

TEST(WakeUp, WithoutDescriptorsThereIsAReasonAndNoSilence) {
  EXPECT_EQ(status_of([] {
              let_no_more_be_opened();
              const auto made = WakeUp::make();
              return !made && made.error().message.find("ulimit -n") != std::string::npos ? 7 : 1;
            }),
            7);
}

TEST(WakeUp, IsTakenUpOnceHoweverOftenItWasCalled) {
  const auto made = WakeUp::make();
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->reset());
  made->wake();
  made->wake();
  EXPECT_TRUE(made->reset());
  EXPECT_FALSE(made->reset());
}

}  // namespace
}  // namespace kernsweep
