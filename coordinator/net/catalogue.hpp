// Converts the catalogue of a worker's hello to the form for the check of a sweep.
#pragma once

#include "language/check/catalogue.hpp"

namespace kernsweep {

namespace wire {
class Catalogue;
}

Catalogue catalogue_of(const wire::Catalogue& kernels);

}  // namespace kernsweep
