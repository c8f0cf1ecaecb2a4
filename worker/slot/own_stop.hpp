// Signals by which a batch system stops a job: SIGTERM, and SIGHUP unless it is ignored.
//
// It signals all processes of the job. Only the worker decides when a slot ends, because a measurement that
// is cut short would look like a failure. So the slot notes the signal. It neither blocks nor ignores it:
// programs that a kernel starts inherit both, and could not be ended by it.
#pragma once

namespace kernsweep {

// Blocks them, over exec, too, until note_own_stops().
void block_own_stops();
// From now on they are noted. A process that is forked from this one ends by them as usual.
void note_own_stops();
// Whether one has arrived since the last call.
bool was_stopped();

}  // namespace kernsweep
