// How much memory this process can still use.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

// Bytes that can be filled without any process being killed: the smaller of what the host has available and
// what the control groups (version 2) of this process leave. File cache that can be dropped counts as free.
// Linux allocates shared memory until it kills a process, so an owner must call this before it allocates.
// An estimate: other processes allocate too. 2^64 - 1 if neither is known.
std::uint64_t available_memory();

// The same from a root folder other than "/", for tests.
std::uint64_t available_memory_under(const std::string& root);

}  // namespace kernsweep
