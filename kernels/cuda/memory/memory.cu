#include "kernels/cuda/memory/memory_kernels.hpp"
#include "kernels/cuda/thread_index.hpp"

using namespace kernsweep::cuda;

extern "C" __global__ void __launch_bounds__(1024) memory_write(MemoryWriteArguments a) {
  for (std::int64_t i = first_item(); i < a.n; i += items_apart()) a.words[i] = word_at(i);
}

extern "C" __global__ void __launch_bounds__(1024) memory_read(MemoryReadArguments a) {
  std::uint64_t sum = 0;
  for (std::int64_t i = first_item(); i < a.n; i += items_apart()) sum += a.words[i];
  a.sums[first_item()] = sum;
}
