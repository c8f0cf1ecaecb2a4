// A child process that does something, says something through a pipe, and then stays until it is killed.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

#include "shared/base/result.hpp"

namespace kernsweep::testing_tensors {

class Child {
 public:
  // `work` runs in the child; what it returns is what said() returns here. What it captures by reference is
  // its own copy, which stays alive until the child is killed.
  explicit Child(const std::function<std::string()>& work) {
    int ends[2];
    KS_ASSERT(pipe2(ends, O_CLOEXEC) == 0);
    pid_ = fork();
    KS_ASSERT(pid_ >= 0);
    if (pid_ == 0) {
      const std::string line = work() + "\n";
      if (write(ends[1], line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
      for (;;) pause();
    }
    close(ends[1]);
    for (char c = 0; read(ends[0], &c, 1) == 1 && c != '\n';) said_ += c;
    close(ends[0]);
  }
  ~Child() { kill_it(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  const std::string& said() const { return said_; }
  pid_t pid() const { return pid_; }

  // SIGKILL, and wait until the process is gone.
  void kill_it() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  std::string said_;
};

}  // namespace kernsweep::testing_tensors
