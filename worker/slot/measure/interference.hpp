// Which jobs are measured again with no other job on the host.
#pragma once

#include <cstdint>

namespace kernsweep {

// True for about `share` of the jobs of a sweep, the same ones in every run: chosen by a hash of the
// sweep's seed and the job's number. 0: none, 1: all.
bool chosen_for_interference(std::uint64_t seed, std::uint64_t index, double share);

}  // namespace kernsweep
