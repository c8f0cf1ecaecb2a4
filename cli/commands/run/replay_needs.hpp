// What a stored job needs to be measured again and this machine does not have. Asking measures nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/commands/run/stored_point.hpp"

namespace kernsweep {

// Each is named for a person; empty: it can be measured here. Libraries, programs and modules are looked
// for by a slot process with the environment that the job would have. `any_host`: here although it was
// measured on another host. Error: this machine cannot be looked at.
Result<std::vector<std::string>> missing_here(const StoredPoint& wanted, bool any_host);

// Tables that the sweep reads, that were not stored with it (by an older version), and that are gone; each
// with the folder in which it was looked for.
std::vector<std::string> missing_tables(const SweepRecord& record);

}  // namespace kernsweep
