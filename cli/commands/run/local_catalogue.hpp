// The kernels of this machine, as the coordinator's checks want them.
#pragma once

#include "language/check/catalogue.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// `probe`: ask each variant whether it can run here, which may load its libraries.
Result<Catalogue> local_catalogue(bool probe);

}  // namespace kernsweep
