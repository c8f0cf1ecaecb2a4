// The arguments of launch.cu.
#pragma once

#include <cstdint>

namespace kernsweep::cuda {

// launch_add_one: counts[i] += 1 for 0 <= i < n.
struct LaunchArguments {
  std::int32_t* counts;
  std::int64_t n;
};

}  // namespace kernsweep::cuda
