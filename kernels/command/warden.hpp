// Sees to it that what a slot has started does not outlive the slot.
//
// While the worker lives, it kills the process group of a slot that has ended. When worker and slot die
// together (kill -9), nobody is left to do that, and a hanging command would run on for good. So the slot
// has a small copy of itself, in the same group, that waits for the end of a pipe and then kills the group.
// A death signal set in the child would not do: posix_spawn cannot set one, and it reaches no grandchild.
//
// One for the life of the slot: to start and dismiss one for each job took a third of a job of /bin/true.
#pragma once

#include <sys/types.h>

namespace kernsweep::command {

class Warden {
 public:
  // That of this process, from the first call on. 0, or the system's error: it could not be started.
  static int post();

  Warden(const Warden&) = delete;
  Warden& operator=(const Warden&) = delete;

 private:
  // Does nothing where this process does not lead its group: the group is not ours to kill.
  Warden();
  // Sends it home; nothing is killed.
  ~Warden();

  pid_t pid_ = -1;
  int pipe_ = -1;
  int error_ = 0;
};

}  // namespace kernsweep::command
