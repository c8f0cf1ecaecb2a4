// The catalogue of a worker's hello as the sweep's check wants it.
#pragma once

#include "language/check/catalogue.hpp"

namespace kernsweep {

namespace wire {
class Catalogue;
}

Catalogue catalogue_of(const wire::Catalogue& told);

}  // namespace kernsweep
