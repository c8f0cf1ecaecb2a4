// The environment of a program at its start, and the reason if it cannot start.
#include "kernels/command/start.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace kernsweep::command {
namespace {

struct Ended {
  int status = -1;  // as waitpid has it
  int error = 0;
  std::string printed;
};

// `words`: the program with its whole path, then its arguments.
Ended run(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  const int pid = start_program(argv[0], argv.data(), {nothing, ends[1], nothing});
  close(ends[1]);
  close(nothing);
  Ended ended;
  std::array<char, 4096> chunk;
  for (ssize_t got; (got = read(ends[0], chunk.data(), chunk.size())) > 0;)
    ended.printed.append(chunk.data(), static_cast<std::size_t>(got));
  close(ends[0]);
  EXPECT_EQ(waitpid(pid, &ended.status, 0), pid);
  ended.error = start_error();
  return ended;
}

// Before the first program of this process: what is ignored and handled then is what none must inherit.
class StartProgram : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    signal(SIGUSR1, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);  // as nohup does
    signal(SIGUSR2, [](int) {});
  }
  static void TearDownTestSuite() {
    for (const int number : {SIGUSR1, SIGUSR2, SIGTERM, SIGHUP}) signal(number, SIG_DFL);
  }
};

TEST_F(StartProgram, BeginsWithPlainSignalsWhateverThisProcessDoesWithThem) {
  sigset_t some, before, after;
  sigemptyset(&some);
  sigaddset(&some, SIGINT);
  sigaddset(&some, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &some, &before);
  const Ended ended = run({"/bin/grep", "-E", "Sig(Blk|Ign)", "/proc/self/status"});
  pthread_sigmask(SIG_SETMASK, &before, &after);
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.printed, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\n")
      << "1 is SIGHUP: that is for all";
  EXPECT_EQ(sigismember(&after, SIGINT), 1) << "this process's own mask is as it was";
  EXPECT_EQ(sigismember(&after, SIGTERM), 0);
  struct sigaction own {};
  sigaction(SIGUSR1, nullptr, &own);
  EXPECT_EQ(own.sa_handler, SIG_IGN) << "and so is what it ignores";
}

TEST_F(StartProgram, GetsItsThreeStreamsAndNoOther) {
  const int kept_open = open("/dev/null", O_RDONLY);  // without O_CLOEXEC
  const Ended ended = run({"/bin/ls", "/proc/self/fd"});
  close(kept_open);
  EXPECT_EQ(ended.printed, "0\n1\n2\n3\n") << "3 is the folder that ls reads";
}

TEST_F(StartProgram, SaysWhyItBecameNone) {
  EXPECT_EQ(run({"/no/such/program"}).error, ENOENT);
  EXPECT_EQ(run({"/etc"}).error, EACCES);
  EXPECT_EQ(run({"/bin/true"}).error, 0) << "that of the last one is forgotten";
  const Ended ended = run({"/bin/sh", "-c", "exit 127"});
  EXPECT_EQ(WEXITSTATUS(ended.status), 127);
  EXPECT_EQ(ended.error, 0) << "a program may end like that, too";
}

}  // namespace
}  // namespace kernsweep::command
