// PTX instructions that copy to shared memory asynchronously. For .cu files only, compute capability 8.0
// and later; a compiler of the host gets the same names from the simulated GPU
// (tests/kernels/cuda/fake_driver/host_copies.hpp).
//
// Source: "PTX ISA", 9.0, section cp.async.
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

namespace kernsweep::cuda {

using SharedAddress = std::uint32_t;

__device__ inline SharedAddress shared_address(const void* block_memory) {
  return static_cast<SharedAddress>(__cvta_generic_to_shared(block_memory));
}

// Begins to copy 16 bytes from global memory, both addresses aligned to 16. Only the first `bytes` are
// read; zeros are written for the others.
__device__ inline void begin_copy_16(SharedAddress to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// The copies that this thread has begun since the last call form one group.
__device__ inline void end_copy_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits until all but the last `kPending` groups of this thread are complete.
template <int kPending>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

// The same address, hidden from the compiler, which would otherwise compute the addresses of a whole loop
// early and keep them in registers.
template <class T>
__device__ inline T* computed_here(T* address) {
  asm volatile("" : "+l"(address));
  return address;
}

}  // namespace kernsweep::cuda

#endif
