// Which file a library was opened from: of several versions on a host, what a result was measured with.
#pragma once

#include <string>

namespace kernsweep {

// The file, links followed, that the function or object at `address` was loaded from; "unknown" when it is
// of none. Throws nothing but std::bad_alloc.
std::string file_of(void* address);

}  // namespace kernsweep
