#include "worker/slot/own_stop.hpp"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace kernsweep {
namespace {

volatile std::sig_atomic_t noted = 0, continued = 0;
pid_t noting = 0;

sigset_t own_stops() {
  sigset_t stops;
  sigemptyset(&stops);
  sigaddset(&stops, SIGTERM);
  struct sigaction hangup {};
  if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) sigaddset(&stops, SIGHUP);
  return stops;
}

void note_stop(int number) {
  const int error = errno;
  if (getpid() == noting) {
    noted = 1;
  } else {
    std::signal(number, SIG_DFL);
    sigset_t it;
    sigemptyset(&it);
    sigaddset(&it, number);
    kill(getpid(), number);
    pthread_sigmask(SIG_UNBLOCK, &it, nullptr);
  }
  errno = error;
}

}  // namespace

void block_own_stops() {
  const sigset_t stops = own_stops();
  sigprocmask(SIG_BLOCK, &stops, nullptr);
}

void note_own_stops() {
  noting = getpid();
  const sigset_t stops = own_stops();
  struct sigaction note {};
  note.sa_handler = note_stop;
  note.sa_flags = SA_RESTART;
  for (const int number : {SIGTERM, SIGHUP})
    if (sigismember(&stops, number)) sigaction(number, &note, nullptr);
  note.sa_handler = [](int) { continued = 1; };
  sigaction(SIGCONT, &note, nullptr);
  sigprocmask(SIG_UNBLOCK, &stops, nullptr);
}

bool was_continued() {
  const bool was = continued != 0;
  continued = 0;
  return was;
}

bool was_stopped() {
  const bool stopped = noted != 0;
  noted = 0;
  return stopped;
}

}  // namespace kernsweep
