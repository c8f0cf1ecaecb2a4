// Hosts that come one after the other while many jobs fit none of those that were here before.
#pragma once

#include <cstdint>

namespace kernsweep {

// Prints how long the turns of the coordinator's core took, in CPU time of the thread. names: `requires`
// reads host.name, so that no two hosts are of one kind; else they differ by name and memory alone, which
// nothing reads.
void joins(std::uint32_t hosts, std::uint64_t unschedulable, bool names);

}  // namespace kernsweep
