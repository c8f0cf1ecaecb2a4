// What has gathered in a spool while no coordinator was there, as messages that each fit.
#pragma once

#include <cstddef>
#include <vector>

#include "shared/wire/protocol.pb.h"

namespace kernsweep::agency {

// In the order of `all`; every part but one of a single outcome has at most `bytes_max` bytes, not counting
// a few of the message around it. What is known of software travels in the first one. At least one part.
std::vector<wire::Outcomes> in_parts(wire::Outcomes all, std::size_t bytes_max);

}  // namespace kernsweep::agency
