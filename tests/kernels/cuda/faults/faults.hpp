// Faults that cost a process its GPU, planted in the process that calls. Through the pack's own adapter of
// the driver, with kernels that no pack has.
#pragma once

#include <string>

namespace kernsweep::testing {

// A kernel writes to address 0. What the adapter says of it ("STATUS: REASON"), and then of the next use of
// the GPU, each on a line of its own.
std::string illegal_access();

// A kernel that never ends, and the wait for it. The process is killed by SIGKILL after a second, as a slot
// is at its limit; if the kernel was running then, stderr says so.
void wait_for_an_endless_kernel();

}  // namespace kernsweep::testing
