#include "kernels/cuda/launch/launch_kernels.hpp"
#include "kernels/cuda/thread_index.hpp"

using namespace kernsweep::cuda;

extern "C" __global__ void __launch_bounds__(1024) launch_add_one(LaunchArguments a) {
  for (std::int64_t i = first_item(); i < a.n; i += items_apart()) a.counts[i] += 1;
}
