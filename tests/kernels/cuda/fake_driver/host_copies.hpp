// The instructions of kernels/cuda/async_copies.hpp, simulated on the host.
#pragma once

#include <cstdint>

namespace kernsweep::cuda {

using SharedAddress = std::uint32_t;

SharedAddress shared_address(const void* block_memory);
void begin_copy_16(SharedAddress to, const void* from, int bytes);
void end_copy_group();
void wait_for_all_but(int groups);
template <int kPending>
void wait_for_copies() {
  wait_for_all_but(kPending);
}
template <class T>
T* computed_here(T* address) {
  return address;
}

}  // namespace kernsweep::cuda
