// A kernel may fork its process. What returns from a call in the child would continue as a second slot: it
// would run the calls that follow beside the slot, and write to the slot's socket. So the child ends where
// the call returns.
//
// One flag, set by a handler of pthread_atfork: looking at it costs no system call. Processes made by vfork
// or posix_spawn do not set it, and execute a program.
#pragma once

namespace kernsweep {

// Once per process, before the first call of a kernel. Errors are ignored: there is no memory for a
// handler.
void watch_for_forks();

// Ends this process if it was forked from the one that watches: with status 0 where the kernel's call
// succeeded, else 1. What the standard streams still hold is not written a second time.
void end_if_forked(bool succeeded);

}  // namespace kernsweep
