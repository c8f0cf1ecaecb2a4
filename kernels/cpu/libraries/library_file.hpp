// The file that a library was opened from, because a host may have several versions.
#pragma once

#include <string>

namespace kernsweep {

// The file, links resolved, with the function or object at `address`; "unknown" if there is none. Throws
// only std::bad_alloc.
std::string file_of(void* address);

}  // namespace kernsweep
