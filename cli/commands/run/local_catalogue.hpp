// The catalogue of this machine, in the form that check_against takes.
#pragma once

#include <string>

#include "language/check/catalogue.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Of the packs that may have `family`; of all where none of these has it. `probe`: also check if each
// variant can run here, which may load its libraries. Error: the packs cannot be read.
Result<Catalogue> local_catalogue(bool probe, const std::string& family);

}  // namespace kernsweep
