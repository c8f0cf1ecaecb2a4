// Checks that must hold for a database after any conversation.
#pragma once

#include <string>

#include "tests/fuzz/conversation/peer.hpp"

namespace kernsweep::fuzz {

// `all`: also what takes long.
void judge(const std::string& database, const Seen& seen, bool all);

}  // namespace kernsweep::fuzz
