// What has gathered in a spool while no coordinator was there, as messages that each fit.
#pragma once

#include <cstddef>
#include <vector>

#include "shared/wire/protocol.pb.h"

namespace kernsweep::worker {

// In the order of `all`; every part has at most `bytes_max` bytes, not counting a few of the message around
// it, but for one of a single outcome that is larger, and the first one, with what is known of software,
// where that is. At least one part.
std::vector<wire::Outcomes> in_parts(wire::Outcomes all, std::size_t bytes_max);

}  // namespace kernsweep::worker
