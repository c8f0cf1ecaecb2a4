// Runs equal parts of some work on as many threads.
#pragma once

#include <cstdint>
#include <functional>

namespace kernsweep {

// Calls work(0) .. work(parts - 1), each once and each in a thread of its own; the calling thread is one of
// them. If the system has no further thread, the caller does that part too. Returns when all are done.
// `work` must not throw. Requires parts >= 1.
void in_parts(std::uint64_t parts, const std::function<void(std::uint64_t part)>& work);

}  // namespace kernsweep
