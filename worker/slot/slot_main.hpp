// The program kernsweep-slot, as an executable or a Python module.
#pragma once

namespace kernsweep {

// Returns the exit status.
int slot_main(int argc, char** argv);

}  // namespace kernsweep
