// The memory of a slot's processes, read before they are killed because a job took too long.
//
// OpenBLAS repeats an allocation that fails without end, and other functions may ignore the error. Then
// only these numbers show why a job took so long.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kernsweep::worker {

// Memory of one process, in bytes.
struct MemoryUse {
  std::string program;  // as ps names it
  // Memory that counts for RLIMIT_DATA: private and writable, whether it was touched or not.
  std::uint64_t data = 0;
  std::uint64_t data_max = 0;   // its limit; 0: none
  std::uint64_t space = 0;      // memory that counts for RLIMIT_AS: all addresses
  std::uint64_t space_max = 0;  // its limit; 0: none
};

// One entry for each process of this group. A process that ends meanwhile, or may not be read, is left out.
std::vector<MemoryUse> memory_of_group(pid_t group);

// The limit that a slot was started with, in bytes.
struct MemoryGiven {
  std::uint64_t data_max = 0;  // 0: none
  bool by_option = false;      // true: set by --memory; false: a share of the machine's memory
};

// A note for the reason of a job: how much memory was used, the limit, and what to do. `host_left`: bytes
// that the host and its control groups have left. Empty if nothing was near its limit and --memory was not
// given.
std::string note_of(const std::vector<MemoryUse>& uses, const MemoryGiven& given, std::uint64_t host_left);

}  // namespace kernsweep::worker
