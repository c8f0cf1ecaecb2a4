// Checks `verify.reference` against the family that a sweep measures.
#pragma once

#include "language/check/catalogue.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

// Errors, with the place: a variant that the family does not have; a setting that is part of the problem; a
// value that neither its parameter's choices nor the values of its axis contain.
Status check_references(const Sweep& sweep, const Expansion& expansion, const CatalogueFamily& family);

}  // namespace kernsweep
