// What the threads of a block have in common. For .cu files only; a compiler of the host gets the same
// names from the simulated GPU (tests/kernels/cuda/fake_driver/host_block.hpp).
#pragma once

#if defined(__CUDACC__)

namespace kernsweep::cuda {

// The block's dynamic memory, of Grid::shared_bytes; aligned to 128 bytes.
__device__ inline unsigned char* block_memory() {
  extern __shared__ __align__(128) unsigned char kernsweep_block_memory[];
  return kernsweep_block_memory;
}

// Every thread of the block must come by before one goes on, and sees what the others wrote before.
__device__ inline void block_wait() {
  __syncthreads();
}

}  // namespace kernsweep::cuda

#endif
