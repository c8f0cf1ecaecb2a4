#include "shared/base/stop_signal.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace kernsweep {
namespace {

std::atomic<int> signals_seen{0};
std::atomic<bool> hung_up{false};
int pipe_ends[2] = {-1, -1};

void note_signal(int number) {
  if (number == SIGHUP && hung_up.exchange(true, std::memory_order_relaxed)) return;
  signals_seen.fetch_add(1, std::memory_order_relaxed);
  const char byte = 1;
  const auto written = write(pipe_ends[1], &byte, 1);
  (void)written;  // a full pipe is readable already
}

}  // namespace

Status StopSignal::prepare() {
  if (pipe_ends[0] >= 0 || pipe2(pipe_ends, O_CLOEXEC | O_NONBLOCK) == 0) return Done{};
  return failure("the system gives no pipe for signals: " + std::string(std::strerror(errno)) +
                 "; raise 'ulimit -n'");
}

StopSignal::StopSignal() {
  KS_ASSERT(prepare());
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int StopSignal::descriptor() const {
  return pipe_ends[0];
}
int StopSignal::count() const {
  return signals_seen.load(std::memory_order_relaxed);
}

void StopSignal::acknowledge() {
  char bytes[16];
  while (read(pipe_ends[0], bytes, sizeof bytes) > 0) {
  }
}

}  // namespace kernsweep
