// The program kernsweep-slot, whoever has loaded it.
#pragma once

namespace kernsweep {

// The exit status.
int slot_main(int argc, char** argv);

}  // namespace kernsweep
