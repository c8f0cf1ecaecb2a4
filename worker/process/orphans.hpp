// Ends processes that slots leave behind in a session of their own, as daemons do, so that no signal to a
// group reaches them. They become children of the worker, because it adopts orphans
// (worker/host/children.hpp).
#pragma once

#include <sys/types.h>

namespace kernsweep {

// Adopts orphans from now on. Existing children of this process are not ended: they may belong to a shell
// that has become this program. Has no effect in the first process of a container, whose orphans may belong
// to any program.
void adopt_and_end_orphans();

// Blocks end_orphans() in all threads, from before a child is made until it is announced.
class MakingChild {
 public:
  MakingChild();
  ~MakingChild();
  MakingChild(const MakingChild&) = delete;
  void made(pid_t child) const;
};
void forget_child(pid_t child);  // it has been waited for

// Kills every child of this process that was not announced by MakingChild. False: there were none, or
// adopt_and_end_orphans() was not called. Processes that they leave behind are found by the next call.
bool end_orphans();

}  // namespace kernsweep
