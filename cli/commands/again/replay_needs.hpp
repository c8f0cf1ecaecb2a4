// Finds what a stored job needs to be measured again and this machine does not have. Measures nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/again/stored_point.hpp"

namespace kernsweep {

// Returns one message per missing thing; empty: the job can be measured here. Libraries, programs and
// modules are looked up by a slot process with the environment that the job would have. `any_host`: another
// host than the original one is accepted. Error: this machine's topology cannot be read.
Result<std::vector<std::string>> missing_here(const StoredPoint& wanted, bool any_host);

// One message for each table that the sweep reads but that no longer exists, with the folder that was
// searched. Empty if the tables are stored with the sweep (older versions did not store them).
std::vector<std::string> missing_tables(const SweepRecord& record);

}  // namespace kernsweep
