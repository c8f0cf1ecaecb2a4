// The loops whose instructions are counted: each does the same on any machine.
#pragma once

#include <cstdint>

namespace kernsweep::gates {

// Each runs `count` units and returns a number that depends on all of them. A unit is a job; of the sampler
// it is a section of samples.
std::uint64_t coordinator_core(std::uint64_t count);  // sent, outcome arrived, stored, released
std::uint64_t worker_core(std::uint64_t count);       // arrived, run in a slot, reported
std::uint64_t jobs_written(std::uint64_t count);      // from a sweep to the bytes of a JobBatch
std::uint64_t jobs_read(std::uint64_t count);         // these bytes, as far as a slot needs them
std::uint64_t outcomes_written(std::uint64_t count);
std::uint64_t outcomes_read(std::uint64_t count);
std::uint64_t sampler_blocks(std::uint64_t count);  // around an empty kernel, many calls a sample
std::uint64_t sampler_calls(std::uint64_t count);   // one call a sample

}  // namespace kernsweep::gates
