#include "kernels/command/start.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

namespace kernsweep::command {
namespace {

// Signals that the program must not inherit: ignored ones, and those with a handler, which would run on
// this process's memory before exec. An ignored SIGHUP (nohup) is inherited.
std::vector<int> changed_signals() {
  std::vector<int> changed;
  for (int number = 1; number < NSIG; ++number) {
    struct sigaction now {};
    if (sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_DFL) continue;
    if (number != SIGHUP || now.sa_handler != SIG_IGN) changed.push_back(number);
  }
  return changed;
}

// The child writes its errno here. Shared memory, because ThreadSanitizer replaces vfork by fork.
int* shared_error() {
  static int* const error = [] {
    void* const page =
        mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? nullptr : static_cast<int*>(page);
  }();
  return error;
}

// Runs in the child, on the parent's memory: only async-signal-safe calls, nothing that changes the parent.
[[noreturn, gnu::noinline]] void become(const char* program, char* const* argv, const Streams& streams,
                                        const std::vector<int>& changed, int* error) {
  struct sigaction plain {};
  plain.sa_handler = SIG_DFL;
  for (const int number : changed) sigaction(number, &plain, nullptr);
  sigset_t none;
  sigemptyset(&none);
  if (dup2(streams.in, 0) == 0 && dup2(streams.out, 1) == 1 && dup2(streams.errors, 2) == 2 &&
      close_range(3, ~0U, 0) == 0 && sigprocmask(SIG_SETMASK, &none, nullptr) == 0)
    execve(program, argv, environ);
  *error = errno;
  _exit(127);
}

}  // namespace

int start_program(const char* program, char* const* argv, const Streams& streams) {
  static const std::vector<int> changed = changed_signals();
  int* const error = shared_error();
  if (!error) return -1;
  *error = 0;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a handler of this process must not run in the child
  const pid_t pid = vfork();
  if (pid == 0) become(program, argv, streams, changed, error);
  const int refused = errno;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = refused;
  return pid;
}

int start_error() {
  const int* const error = shared_error();
  return error ? *error : 0;
}

}  // namespace kernsweep::command
