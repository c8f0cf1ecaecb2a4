// Checks what the jobs of a sweep get of their hosts: `threads` and `copies` (`device` and `gpus` are
// checked by language/plan/devices.cpp), and that a GPU, several copies and distrust do not meet at a
// point.
#pragma once

#include "language/space/expansion.hpp"

namespace kernsweep {

// At up to kPointsTried points of the sweep that no constraint rejects. Error: with the column's place and
// the point.
Status check_resources(const Sweep& sweep, const Expansion& expansion);

}  // namespace kernsweep
