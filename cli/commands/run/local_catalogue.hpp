// The catalogue of this machine, in the form that check_against takes.
#pragma once

#include "language/check/catalogue.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// `probe`: also check if each variant can run here, which may load its libraries. Error: the packs cannot
// be read.
Result<Catalogue> local_catalogue(bool probe);

}  // namespace kernsweep
