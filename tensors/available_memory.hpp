// How much memory this process can still use.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

// Bytes that can be filled without anything being killed: the lesser of what the host has available and
// what the control groups (version 2) of this process leave, file cache that can be dropped counted as
// free. Linux gives shared memory out until it kills some process, so an owner must ask before it
// allocates. An estimate: others allocate too. The largest number when nothing can be learned.
std::uint64_t available_memory();

// The same from a root folder other than "/", for tests.
std::uint64_t available_memory_under(const std::string& root);

}  // namespace kernsweep
