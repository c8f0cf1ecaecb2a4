// Splits the outcomes of a spool into messages of limited size.
#pragma once

#include <cstddef>
#include <vector>

#include "shared/wire/protocol.pb.h"

namespace kernsweep::worker {

// Keeps the order of `all`. Each part has at most `bytes_max` bytes (and a few for the message around it),
// except a part with a single larger outcome, and the first part, which has all the software. At least one
// part.
std::vector<wire::Outcomes> in_parts(wire::Outcomes all, std::size_t bytes_max);

}  // namespace kernsweep::worker
