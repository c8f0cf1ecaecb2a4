// Signals by which a batch system stops a job: SIGTERM, and SIGHUP unless it is ignored.
//
// It signals all processes of the job. Only the worker decides when a slot ends, because an interrupted
// measurement would look like a failure. So the slot only notes the signal. It neither blocks nor ignores
// it: programs that a kernel starts inherit both, and could then not be ended by it.
#pragma once

namespace kernsweep {

// Blocks them, also across exec, until note_own_stops().
void block_own_stops();
// Notes these signals from now on. In a process that is forked from this one they have their usual effect.
void note_own_stops();
// Whether one has arrived since the last call.
bool was_stopped();
// Likewise whether this process was stopped (SIGSTOP, Ctrl-Z) and continued. A kernel may take the handler
// away; then it is not known.
bool was_continued();

}  // namespace kernsweep
