// Checks what jobs request from their hosts: `threads` and `copies` (language/plan/devices.cpp checks
// `device` and `gpus`), and that no point combines any two of a GPU, several copies and distrust.
#pragma once

#include "language/space/expansion.hpp"

namespace kernsweep {

// Checks up to kPointsTried points of the sweep that no constraint rejects. Error: with the column's place
// and the point.
Status check_resources(const Sweep& sweep, const Expansion& expansion);

}  // namespace kernsweep
