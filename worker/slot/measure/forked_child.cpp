#include "worker/slot/measure/forked_child.hpp"

#include <pthread.h>
#include <unistd.h>

namespace kernsweep {
namespace {

bool is_forked = false;

}  // namespace

void watch_for_forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { is_forked = true; });
  (void)registered;
}

void end_if_forked(bool succeeded) {
  if (is_forked) _exit(succeeded ? 0 : 1);
}

}  // namespace kernsweep
