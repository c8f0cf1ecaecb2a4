// A worker's host as its hello tells it: as a row of the database, and as `requires` and placement ask.
#pragma once

#include "coordinator/net/space.hpp"
#include "results/store/records.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep::coordinator {

// Bytes of a name or a reason that a worker tells; the rest is cut off.
constexpr std::size_t kWordsMax = 300;

HostRecord record_of(const wire::HostFacts& host);
KnownHost known_host(const wire::Hello& hello);

}  // namespace kernsweep::coordinator
