// Which jobs are measured once more with no other job on the host.
#pragma once

#include <cstdint>

namespace kernsweep {

// True for about `share` of the jobs of a sweep, for the same ones whenever it runs: chosen by a hash of
// its seed and the job's number. 0: none, 1: all.
bool chosen_for_interference(std::uint64_t seed, std::uint64_t index, double share);

}  // namespace kernsweep
