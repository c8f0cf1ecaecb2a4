// How the threads of a kernel run on the host: one at a time, each on a stack of its own where they wait
// for each other.
//
// Threads of one warp take turns until none can go on, then those of the next: in ascending order in every
// other block, in descending order in those between, so that a wait that is missing shows in one of them.
// What waits for ever (a thread that is not there, warps that went different ways) ends the program. Shared
// memory begins with rubbish; reading or writing behind it ends the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace kernsweep::testing::fake_cuda {

struct Index {
  unsigned x = 0, y = 0, z = 0;
};
extern Index blockIdx, blockDim, gridDim, threadIdx;

// Whether threads of a block may wait for each other. Alone is faster.
enum class Threads { alone, together };

// Runs `thread` for each thread of each block; blockIdx and its kin say which.
void run_grid(Threads threads, const Index& blocks, unsigned block_threads, std::size_t shared_bytes,
              const std::function<void()>& thread);

// For kernels, of the thread that runs.

// Hands `bytes` of every lane to all lanes of its warp, which come by with the same `what`. The result has
// place for 32 lanes, `bytes` each, and stays until this thread's next exchange.
const unsigned char* warp_exchange(const char* what, const void* mine, std::size_t bytes);

// `bytes` of shared memory, which must be there, at an offset that is a multiple of `alignment`.
unsigned char* shared_bytes_at(std::uint32_t offset, std::size_t bytes, std::size_t alignment);

// An asynchronous copy of 16 bytes to shared memory, zeros after the first `bytes`: at once in half of the
// blocks, as late as is legal in the others.
void begin_copy(std::uint32_t to, const void* from, std::uint32_t bytes);
void end_copies();                  // one group
void wait_for_groups(int pending);  // all but the last `pending`

// Products are begun only while registers of sums are settled: until they are touched, or a group is
// closed.
void settle_sums();
void touch_sums();

// An asynchronous product: computed at once if copies are late, otherwise as late as is legal, when it is
// waited for.
void begin_product(std::function<void()> product);
void close_product_group();               // of those that were begun
void finish_product_groups(int pending);  // all but the last `pending`

}  // namespace kernsweep::testing::fake_cuda

namespace kernsweep::cuda {

unsigned char* block_memory();
void block_wait();

}  // namespace kernsweep::cuda
