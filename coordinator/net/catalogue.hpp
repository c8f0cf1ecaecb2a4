// Converts the catalogue of a worker's hello to the form that the check of a sweep uses.
#pragma once

#include "language/check/catalogue.hpp"

namespace kernsweep {

namespace wire {
class Catalogue;
}

Catalogue catalogue_of(const wire::Catalogue& kernels);

}  // namespace kernsweep
