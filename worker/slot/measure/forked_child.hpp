// A kernel may fork its process. A child that returned from the call would continue as a second slot: it
// would run the following calls at the same time as the slot, and write to the slot's socket. So the child
// ends where the call returns.
//
// A handler of pthread_atfork sets a flag, so checking it costs no system call. Processes made by vfork or
// posix_spawn do not set it, and execute a program.
#pragma once

namespace kernsweep {

// Once per process, before the first call of a kernel. Errors are ignored: there is no memory for a
// handler.
void watch_for_forks();

// Ends this process if it was forked from the one that watches: with status 0 if the kernel's call
// succeeded, else 1. Unflushed data of the standard streams is not written a second time.
void end_if_forked(bool succeeded);

}  // namespace kernsweep
