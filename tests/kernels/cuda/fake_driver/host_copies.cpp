#include "tests/kernels/cuda/fake_driver/host_copies.hpp"

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"
#include "tests/kernels/cuda/fake_driver/host_block.hpp"

namespace kernsweep::cuda {

using namespace testing::fake_cuda;

// Shared memory is a window of its own, which on a GPU does not begin at 0 either, and at a multiple of
// what block_memory() promises and no more.
constexpr SharedAddress kWindow = 1024 + 128;

SharedAddress shared_address(const void* memory) {
  return kWindow + static_cast<SharedAddress>(static_cast<const unsigned char*>(memory) - block_memory());
}

void begin_copy_16(SharedAddress to, const void* from, int bytes) {
  if (bytes < 0 || bytes > 16) misuse("cp.async of no bytes, or more than 16");
  if (number_of(from) % 16 != 0) misuse("cp.async from an address that is not aligned");
  begin_copy(to - kWindow, from, static_cast<std::uint32_t>(bytes));
}

void end_copy_group() {
  end_copies();
}

void wait_for_all_but(int groups) {
  wait_for_groups(groups);
}

}  // namespace kernsweep::cuda
