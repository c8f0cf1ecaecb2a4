// Reads a sweep, and checks it against the kernels of this machine.
#pragma once

#include <string>

#include "cli/grammar/sweep_source.hpp"
#include "language/check/catalogue.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// `kernels`: if given, it becomes the kernels of this machine. The hosts are assumed to have the kernels of
// this machine. If these cannot be listed, that check is skipped. Errors: those of read_sweep and
// check_against.
Result<Expansion> checked_sweep(const std::string& file, const Replacements& replacements);
Result<Expansion> checked_sweep(SweepSource& source, Catalogue* kernels = nullptr);

}  // namespace kernsweep
