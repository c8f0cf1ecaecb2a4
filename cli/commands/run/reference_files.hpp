// Whether the files of `verify.reference` are there, for sweeps that are run on this machine.
#pragma once

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Looks at the points that are not rejected, until kPoints of them were looked at; what stands behind these
// is a row of its own when it is measured. Error: the first path that is not there, with its point.
Status find_reference_files(const Expansion& expansion);

}  // namespace kernsweep
