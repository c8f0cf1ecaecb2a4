// Simulated processes: the linker takes these in place of worker/process/process.cpp, so that a script
// simulates the slots. Thread-safe.
#pragma once

#include <string>
#include <vector>

#include "shared/wire/slot.pb.h"

namespace kernsweep::fuzz {

struct LaunchedSlot {
  int pid = 0;
  wire::SlotSetup setup;
};

void forget_processes();
// Those that were launched since the last call.
std::vector<LaunchedSlot> take_launched();
// The next so many cannot be started.
void fail_launches(unsigned count);
// `how`: exit status, or above 128 a signal.
void end_process(int pid, int how);
// That were launched and have neither ended nor been killed.
std::size_t processes_left();

}  // namespace kernsweep::fuzz
