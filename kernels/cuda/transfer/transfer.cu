#include "kernels/cuda/thread_index.hpp"
#include "kernels/cuda/transfer/transfer_kernels.hpp"

using namespace kernsweep::cuda;

extern "C" __global__ void __launch_bounds__(1024) transfer_steps(TransferArguments a) {
  for (std::int64_t i = first_item(); i < a.n; i += items_apart()) a.to[i] = stepped(a.from[i], a.steps);
}
