// Starts a program with few system calls.
//
// Uses vfork and not posix_spawn: glibc's posix_spawn reads the disposition of every signal and maps a
// stack for each child, which costs more than all other work of a slot (docs/internals/performance.md), and
// would be part of the measured time.
#pragma once

namespace kernsweep::command {

// The descriptors that become 0, 1 and 2 of the program; each must be above 2. The program gets no others.
struct Streams {
  int in, out, errors;
};

// Returns the process id, to be waited for even if the program could not be executed; or -1, with errno.
// `argv` ends with a null pointer. The program begins with no signal blocked, and ignores no signal (except
// SIGHUP) that this process ignored at its first call.
int start_program(const char* program, char* const* argv, const Streams& streams);

// The errno of the exec of the process that was started last, and has ended since; 0 if it succeeded.
int start_error();

}  // namespace kernsweep::command
