// Cores that a worker had when it started and no longer gives to jobs, because a killed process there does
// not end.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "shared/wire/protocol.pb.h"
#include "worker/host/topology.hpp"

namespace kernsweep {

// The reasons, by position in Topology::cores.
using LostCores = std::map<std::uint32_t, std::string>;

// "cores 2-3", by the numbers of the system.
std::string text_of(const Topology& topology, const LostCores& lost);
// Adds one entry for all cores that were lost for the same reason.
void tell(const Topology& topology, const LostCores& lost, wire::HostFacts& out);
// The topology without the lost cores.
Topology cores_left(const Topology& topology, const LostCores& lost);

}  // namespace kernsweep
