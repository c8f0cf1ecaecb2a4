// The kernels of conv2d_implicit_gemm.cu on the host: their threads wait for each other, so each phase of a
// block runs for all its threads before the next.
#pragma once

#include <cstring>
#include <vector>

#include "kernels/cuda/conv2d/implicit_gemm_kernel.hpp"
#include "tests/kernels/cuda/fake_driver/fake_state.hpp"

namespace kernsweep::testing::fake_cuda {

// From the last thread to the first in every second phase: what a phase reads, none of its threads may
// write.
template <class T, int kTile>
void implicit_gemm_on_host(const void* bytes, const Index& blocks, unsigned block_threads, std::size_t) {
  using Gemm = cuda::ImplicitGemm<T, kTile>;
  if (block_threads != cuda::kImplicitGemmThreads)
    misuse("conv2d_implicit_gemm with another number of threads than it counts on");
  cuda::ImplicitGemmArguments arguments;
  std::memcpy(&arguments, bytes, sizeof arguments);
  std::vector<typename Gemm::Registers> registers(block_threads);
  typename Gemm::Shared shared;
  for (unsigned block = 0; block < blocks.x; ++block) {
    std::memset(static_cast<void*>(&shared), 0xCD, sizeof shared);
    const Gemm gemm(arguments, block, shared);
    int phases = 0;
    cuda::implicit_gemm_phases(gemm, arguments.depth, [&](auto phase) {
      const bool backwards = phases++ % 2 == 1;
      for (int i = 0; i < cuda::kImplicitGemmThreads; ++i) {
        const int thread = backwards ? cuda::kImplicitGemmThreads - 1 - i : i;
        phase(thread, registers[static_cast<std::size_t>(thread)]);
      }
    });
  }
}

template <class T, int kTile>
HostKernel implicit_gemm_on_host(const char* name) {
  return {name, sizeof(cuda::ImplicitGemmArguments), &implicit_gemm_on_host<T, kTile>};
}

}  // namespace kernsweep::testing::fake_cuda
