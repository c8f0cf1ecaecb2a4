// Which kernels this host has: every pack in the pack folders, described by a process of its own, so that a
// pack that crashes while it is loaded costs a line and not the agent.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "shared/result.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

// Describes all packs (*.so) of the folders, several at a time; of two families with one name the first
// folder's counts. A pack that fails is named in `broken` with the reason. `probe`: ask each variant
// whether it can run here.
Result<wire::Catalogue> read_catalogue(const std::vector<std::string>& folders, bool probe);

}  // namespace kernsweep
