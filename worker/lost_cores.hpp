// Cores that a worker had when it started and gives to no job any more, because a process that was killed
// there does not go.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "shared/wire/protocol.pb.h"
#include "worker/host/topology.hpp"

namespace kernsweep {

// By their places in Topology::cores: why.
using LostCores = std::map<std::uint32_t, std::string>;

// "cores 2-3", by the system's numbers.
std::string text_of(const Topology& topology, const LostCores& lost);
// One entry for all that were lost for the same reason.
void tell(const Topology& topology, const LostCores& lost, wire::HostFacts& out);
// The topology without them.
Topology cores_left(const Topology& topology, const LostCores& lost);

}  // namespace kernsweep
