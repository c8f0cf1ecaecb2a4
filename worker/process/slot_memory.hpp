// What the processes of a slot have of memory, looked at when they are ended for having taken too long.
//
// A library that gets no memory may ask for it again without end (OpenBLAS does), and a function may
// swallow the error: nothing but these numbers tells then why the job took so long.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kernsweep::worker {

// Of one process, in bytes.
struct MemoryUse {
  std::string program;  // as ps names it
  // What RLIMIT_DATA counts: private memory that can be written, whether it was touched or not.
  std::uint64_t data = 0;
  std::uint64_t data_max = 0;   // its limit; 0: none
  std::uint64_t space = 0;      // what RLIMIT_AS counts: all addresses
  std::uint64_t space_max = 0;  // its limit; 0: none
};

// Of each process of this group. One that ends meanwhile, or may not be looked at, is left out.
std::vector<MemoryUse> memory_of_group(pid_t group);

// The limit that a slot was started with, in bytes.
struct MemoryGiven {
  std::uint64_t data_max = 0;  // 0: none
  bool by_option = false;      // --memory; else a share of the machine's
};

// For the reason of a job: what was measured, of how much, and what to do. `host_left`: what the host and
// its control groups have left. Empty when nothing was near its limit and --memory was not given.
std::string note_of(const std::vector<MemoryUse>& uses, const MemoryGiven& given, std::uint64_t host_left);

}  // namespace kernsweep::worker
