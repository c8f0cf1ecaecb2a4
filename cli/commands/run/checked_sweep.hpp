// Reads a sweep file, and checks it against the kernels of this machine.
#pragma once

#include <string>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The hosts are assumed to have the kernels of this machine. If these cannot be listed, that check is left
// out. Errors: those of Expansion::read and check_against.
Result<Expansion> checked_sweep(const std::string& file, const Replacements& replacements);

}  // namespace kernsweep
