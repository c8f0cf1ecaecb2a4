// The catalogue of this machine, in the form for check_against.
#pragma once

#include <string>

#include "language/check/catalogue.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The packs that may have `family`; all packs if none of these has it. `probe`: also check whether each
// variant can run here, which may load its libraries. Error: the packs cannot be read.
Result<Catalogue> local_catalogue(bool probe, const std::string& family);

}  // namespace kernsweep
