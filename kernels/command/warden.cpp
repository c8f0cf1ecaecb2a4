#include "kernels/command/warden.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace kernsweep::command {
namespace {

// Runs after fork in a process with threads: async-signal-safe calls only.
[[noreturn]] void keep_watch(int pipe) {
  sigset_t all;  // a batch system signals every process of a job; the slot survives it
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  if (dup2(pipe, 0) < 0) _exit(1);
  close_range(1, ~0U, 0);           // otherwise the worker would wait for the end of the slot's stderr
  prctl(PR_SET_NAME, "ks-warden");  // worker/host/stopped_processes.hpp leaves it out
  char word = 0;
  ssize_t got = -1;
  do {
    got = read(0, &word, 1);
  } while (got < 0 && errno == EINTR);
  if (got == 0) kill(0, SIGKILL);
  _exit(0);
}

}  // namespace

int Warden::post() {
  static const Warden warden;
  return warden.error_;
}

Warden::Warden() {
  int ends[2];
  if (getpgrp() != getpid()) return;
  if (pipe2(ends, O_CLOEXEC) != 0) {
    error_ = errno;
    return;
  }
  pid_ = fork();
  if (pid_ < 0) error_ = errno;
  if (pid_ == 0) {
    close(ends[1]);
    keep_watch(ends[0]);
  }
  close(ends[0]);
  if (pid_ > 0) {
    pipe_ = ends[1];
  } else {
    close(ends[1]);
  }
}

Warden::~Warden() {
  if (pipe_ < 0) return;
  const char dismissed = 1;
  const ssize_t written = write(pipe_, &dismissed, 1);
  close(pipe_);
  int status = 0;
  while (written == 1 && waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace kernsweep::command
