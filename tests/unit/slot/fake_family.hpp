// A family that doubles n numbers: `reference` in f64, `twice` in f32, and `faulty`, which does what its
// parameter `fault` says instead. Everything that a slot must withstand of a variant is one of its faults.
#pragma once

#include <cstdint>
#include <string>

#include "kernels/api/pack.h"

namespace kernsweep::testing_slot {

// Parameters: n (integer), inputs (integer, 1: with 0 there is no operand and the numbers are 1, 2, 3,
// ...), fault (text), dtype (text, which only tolerances look at). Faults:
//   cannot          can_run: KS_UNSUPPORTED "no such instruction"
//   cannot_bad      can_run: KS_BAD_PARAMETER without a word
//   prepare         prepare: KS_FAILED "library missing"
//   prepare_oom     prepare: KS_OUT_OF_MEMORY
//   prepare_unsup   prepare: KS_UNSUPPORTED
//   latin1          prepare: KS_FAILED, with a reason that is no UTF-8
//   run, run_oom    run: KS_FAILED, KS_OUT_OF_MEMORY at the first call
//   run_late        run: KS_FAILED at the fourth call: verified twice, warmed up once, measured
//   output          output: KS_FAILED
//   bad_rank        output with a rank of 99
//   short           output with an element less
//   wrong, nan      one element far off, or NaN
//   zeros           all zeros
//   flaky           last bits differ from call to call
//   drift           the output changes with the third call
//   unsteady        last bits differ between the first two calls, later ones are wrong
//   stored          computes at the first call only
//   part            from the second call on all but the last element
//   replays         from the fifth call on computes every other one
//   spins           from the fifth call on another thread is busy for 2 ms after it, and writes nothing
//   small_zeros     zeros in place of the second row of two, see the parameter `small`
//   compiles        elapsed: 1 s for the first call of the first state, 1 ms for all others
//   uses_up         elapsed: 1 s for the first call of each state, 1 ms for all others
//   queues          each call leaves another thread 2 ms of work, which it does one after the other
//   late            from the fifth call on another thread computes, 0.1 ms after the call has returned
//   clock           its own clock tells a negative time
//   clock_stands    its own clock tells no time
const ks_family& doubling();

// The same family whose reference fails to run.
const ks_family& doubling_without_reference_result();

// States that were prepared and not released.
int living_states();
// Calls of the reference's run, since the program started.
int reference_runs();
// That the last reference to be prepared was given.
int reference_threads();

}  // namespace kernsweep::testing_slot
