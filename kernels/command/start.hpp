// Starts a program with as little as the kernel asks for.
//
// vfork and not posix_spawn: glibc's asks for the disposition of every signal and maps a stack for each
// child, which costs more than all that a slot does besides (docs/internals/performance.md), within the
// time of the command.
#pragma once

namespace kernsweep::command {

// What the program finds as its descriptors 0, 1 and 2, each above 2 here; it gets no others.
struct Streams {
  int in, out, errors;
};

// Returns the process, to be waited for even if it became no program; or -1, with errno. `argv` ends with a
// null pointer. The program begins with no signal blocked, and ignores none that this process ignored when
// it first started one.
int start_program(const char* program, char* const* argv, const Streams& streams);

// Why the process that was started last, and has ended since, became no program, as errno has it; 0: it
// did.
int start_error();

}  // namespace kernsweep::command
