// The main function of an isolated process (isolated_process.hpp): `kernsweep-slot --isolated`.
#pragma once

namespace kernsweep {

// Serves the slot at the other end of the socket `descriptor` until that is closed. Returns the exit
// status.
int serve_isolated(int descriptor);

}  // namespace kernsweep
