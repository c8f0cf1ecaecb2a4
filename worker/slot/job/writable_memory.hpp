// Which memory of this process may be written. Linux: reads /proc/self/maps.
#pragma once

#include <cstddef>

namespace kernsweep {

// Whether all of it is mapped for reading and writing, and is no stack. False where that cannot be found
// out. Takes tens of microseconds.
bool is_writable(const void* memory, std::size_t bytes);

}  // namespace kernsweep
