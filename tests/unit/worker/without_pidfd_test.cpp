// Children where the system gives no descriptor of a process, as the seccomp profiles of older containers
// do. Each test in a process of its own: such a filter stays.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "worker/process/run_to_exit.hpp"

namespace kernsweep {
namespace {

constexpr int kGood = 7;

bool refuse_pidfd_open() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(rules), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 &&
         syscall(SYS_pidfd_open, getpid(), 0) == -1;
}

int status_without_pidfd(const std::function<int()>& test) {
  const pid_t pid = fork();
  if (pid == 0) _exit(refuse_pidfd_open() ? test() : kGood);  // where no filter is allowed, all is well
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

Launch script_launch(const std::string& script) {
  Launch launch;
  launch.program = "/bin/sh";
  launch.arguments = {"-c", script};
  launch.capture_output = true;
  return launch;
}

TEST(WithoutPidfd, TheEndOfAChildIsSeenByAPoll) {
  EXPECT_EQ(status_without_pidfd([] {
              auto child = launch(script_launch("exit 3"));
              if (!child || child->exited() < 0) return 1;
              pollfd ended{child->exited(), POLLIN, 0};
              if (poll(&ended, 1, 20000) != 1 || !(ended.revents & POLLIN)) return 2;
              const auto ending = child->reap();
              return ending && ending->number == 3 ? kGood : 3;
            }),
            kGood);
}

TEST(WithoutPidfd, AChildThatRunsHasNotEnded) {
  EXPECT_EQ(status_without_pidfd([] {
              auto child = launch(script_launch("read nothing; exit 3"));
              if (!child) return 1;
              pollfd ended{child->exited(), POLLIN, 0};
              child->kill_group();
              if (poll(&ended, 1, 20000) != 1) return 2;
              const auto ending = child->reap();
              return ending && (ending->signalled || ending->number == 3) ? kGood : 3;
            }),
            kGood);
}

// Closed its output long before its end: the end was not waited for, and its status was not known.
TEST(WithoutPidfd, AChildIsHeardOutToItsEnd) {
  EXPECT_EQ(status_without_pidfd([] {
              auto child =
                  launch(script_launch("echo all; exec >&- 2>&-; i=0; "
                                       "while [ $i -lt 20000 ]; do i=$((i+1)); done; exit 3"));
              if (!child) return 1;
              const ExitedProcess exited = run_to_exit(*child, std::chrono::seconds(60));
              if (exited.output != "all\n") return 2;
              return exited.in_time && exited.ending && exited.ending->number == 3 ? kGood : 3;
            }),
            kGood);
}

TEST(WithoutPidfd, WithoutAnyDescriptorTheLaunchIsRefusedWithTheReason) {
  EXPECT_EQ(status_without_pidfd([] {
              Launch start = script_launch("exit 3");
              start.capture_output = false;
              start.inherit_errors = true;  // only the pipe for the end is needed
              const rlimit none{0, 0};
              setrlimit(RLIMIT_NOFILE, &none);
              const auto child = launch(start);
              if (child) return 1;
              return child.error().message.find("ulimit -n") != std::string::npos ? kGood : 2;
            }),
            kGood);
}

}  // namespace
}  // namespace kernsweep
