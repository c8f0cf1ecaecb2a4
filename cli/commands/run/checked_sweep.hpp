// A sweep file, read and held against what this machine can run: what every command does first.
#pragma once

#include <string>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// What this machine can run is the best guess at what the hosts can. Errors: what Expansion::read and
// check_against say.
Result<Expansion> checked_sweep(const std::string& file, const Replacements& replacements);

}  // namespace kernsweep
