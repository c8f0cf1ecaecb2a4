// Shared memory and synchronisation of the threads of a block. For .cu files only; a compiler of the host
// gets the same names from the simulated GPU (tests/kernels/cuda/fake_driver/host_block.hpp).
#pragma once

#if defined(__CUDACC__)

namespace kernsweep::cuda {

// The block's dynamic memory, of Grid::shared_bytes; aligned to 128 bytes.
__device__ inline unsigned char* block_memory() {
  extern __shared__ __align__(128) unsigned char kernsweep_block_memory[];
  return kernsweep_block_memory;
}

// Waits until every thread of the block has arrived; all earlier writes are then visible to all threads.
__device__ inline void block_wait() {
  __syncthreads();
}

}  // namespace kernsweep::cuda

#endif
