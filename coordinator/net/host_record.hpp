// Converts the host of a worker's hello: to a row of the database, and to the facts for `requires` and
// placement.
#pragma once

#include "coordinator/net/space.hpp"
#include "results/store/records.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// Limit in bytes for a name or a reason from a worker; the rest is cut off.
constexpr std::size_t kWordsMax = 300;

HostRecord record_of(const wire::HostFacts& host);
KnownHost known_host(const wire::Hello& hello);

}  // namespace kernsweep::coordinator
