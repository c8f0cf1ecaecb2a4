// The arguments of faults.cu.
#pragma once

#include <cstdint>

namespace kernsweep::testing {

struct FaultArguments {
  volatile std::uint32_t* word;
};

inline constexpr std::uint32_t kKernelRuns = 1, kKernelMayEnd = 2;

}  // namespace kernsweep::testing
