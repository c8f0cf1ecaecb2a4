// What slots leave behind: processes in a session of their own, as daemons are, which no signal to a group
// reaches. They become children of the worker, because it adopts orphans (worker/host/children.hpp).
#pragma once

#include <sys/types.h>

namespace kernsweep {

// Adopts orphans from now on. What this process has already as children is not its own to end, as a shell's
// that has become this program. Not as the first process of a container, whose orphans may be anybody's.
void adopt_and_end_orphans();

// Holds back end_orphans() in all threads, from before a child is made until it is announced.
class MakingChild {
 public:
  MakingChild();
  ~MakingChild();
  MakingChild(const MakingChild&) = delete;
  void made(pid_t child) const;
};
void forget_child(pid_t child);  // it was waited for

// Kills every child of this process that was not announced by MakingChild. False: there were none, or
// adopt_and_end_orphans() was not called. What they leave behind in turn is found by the next call.
bool end_orphans();

}  // namespace kernsweep
