// Whether the files of `verify.reference` exist, for sweeps that are run on this machine.
#pragma once

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Checks at most kPoints points that are not rejected; a file that is missing at a later point becomes a
// failed row. Error: the first path that does not exist, with its point.
Status find_reference_files(const Expansion& expansion);

}  // namespace kernsweep
