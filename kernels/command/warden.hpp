// Ends the processes that a slot has started when the slot ends.
//
// A worker kills the process group of a slot that has ended. If worker and slot are killed together (kill
// -9), a command that hangs would never end. So the slot forks a small process in the same group, which
// waits for the end of a pipe and then kills the group. A parent-death signal of the command is not enough:
// it does not reach its children.
//
// One for the life of the slot: one per job took a third of the time of a job of /bin/true.
#pragma once

#include <sys/types.h>

namespace kernsweep::command {

class Warden {
 public:
  // Starts the warden of this process at the first call. Returns 0 or the system's error.
  static int post();

  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;

 private:
  // Does nothing if this process does not lead its group: then the group must not be killed.
  Warden();
  // Ends the warden; kills nothing.
  ~Warden();

  pid_t pid_ = -1;
  int pipe_ = -1;
  int error_ = 0;
};

}  // namespace kernsweep::command
