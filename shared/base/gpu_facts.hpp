// The facts of a host's GPUs that `requires` may ask for, as gpu.<name> (docs/reference/sweep-language.md).
// The worker reports them; the sweep language accepts no others.
#pragma once

#include <array>
#include <string_view>

namespace kernsweep {

inline constexpr std::array<std::string_view, 8> kGpuFacts = {
    "count", "memory_bytes", "compute_capability", "multiprocessors", "l2_bytes", "name", "driver", "cuda"};

}  // namespace kernsweep
