#include "tests/kernels/cuda/fake_driver/host_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "tests/kernels/cuda/fake_driver/fake_state.hpp"
#include "tests/kernels/cuda/fake_driver/fibers.hpp"
#include "tests/kernels/cuda/fake_driver/host_pieces.hpp"

namespace kernsweep::testing::fake_cuda {

Index blockIdx, blockDim, gridDim, threadIdx;

namespace {

constexpr std::size_t kLanes = 32;
constexpr std::size_t kExchangeMax = 64;  // bytes of a lane

// A barrier: all of a group must reach it before one continues.
struct Gate {
  std::size_t arrived = 0;
  unsigned opened = 0;
};

struct Warp {
  Gate gate;
  const char* what = nullptr;
  // Two exchanges: a thread that finished one may begin the next while others still read the first.
  std::array<std::array<unsigned char, kLanes * kExchangeMax>, 2> lanes;
};

struct Copy {
  unsigned char* to;
  std::uint32_t offset;  // of `to` in shared memory
  std::uint32_t bytes;
  const void* from;

  void make() const {
    std::memset(to, 0, 16);
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
};

struct Thread {
  Fiber fiber;
  const Gate* waits_for = nullptr;
  unsigned opened = 0;
  std::vector<Copy> begun;
  std::deque<std::vector<Copy>> groups;
  bool sums_are_settled = false;
  std::vector<std::function<void()>> products;
  std::deque<std::vector<std::function<void()>>> product_groups;

  bool can_go_on() const {
    return !fiber.is_over() && (waits_for == nullptr || waits_for->opened != opened);
  }
};

struct Block {
  std::vector<std::unique_ptr<Thread>> threads;  // some of a block before may be left over
  std::size_t count = 0;
  std::vector<Warp> warps;
  Gate gate;
  std::unique_ptr<unsigned char[]> shared;  // with kAlignment to spare
  std::size_t shared_bytes = 0;
  bool copies_are_late = false, products_are_late = false, is_alone = true;
};
Block block;
unsigned blocks_run = 0;

constexpr std::size_t kAlignment = 128;
constexpr std::size_t kBehind = 256;
constexpr unsigned char kRubbish = 0xCD, kGuard = 0xA5;

unsigned char* shared_begin() {
  const auto address = reinterpret_cast<std::uintptr_t>(block.shared.get());
  return block.shared.get() + (kAlignment - address % kAlignment) % kAlignment;
}

Thread& self() {
  return *block.threads[threadIdx.x];
}

void pass(Gate& gate, std::size_t group) {
  if (++gate.arrived == group) {
    gate.arrived = 0;
    ++gate.opened;
    return;
  }
  self().waits_for = &gate;
  self().opened = gate.opened;
  Fiber::give_up();
}

// Runs the threads of a warp in turns until none can continue. Returns whether one has continued.
bool run_warp(std::size_t warp, bool descending) {
  const std::size_t first = warp * kLanes, last = std::min(first + kLanes, block.count);
  bool any = false;
  for (bool again = true; again;) {
    again = false;
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t thread = descending ? first + last - 1 - i : i;
      if (!block.threads[thread]->can_go_on()) continue;
      threadIdx.x = static_cast<unsigned>(thread);
      block.threads[thread]->waits_for = nullptr;
      block.threads[thread]->fiber.go_on();
      any = again = true;
    }
  }
  return any;
}

void prepare_block(std::size_t threads, std::size_t shared_bytes) {
  block.count = threads;
  while (block.threads.size() < threads) block.threads.push_back(std::make_unique<Thread>());
  block.warps.assign((threads + kLanes - 1) / kLanes, Warp{});
  block.gate = {};
  block.shared_bytes = shared_bytes;
  block.shared.reset(new unsigned char[shared_bytes + kBehind + kAlignment]);
  std::memset(shared_begin(), kRubbish, shared_bytes);
  std::memset(shared_begin() + shared_bytes, kGuard, kBehind);
  forget_pieces(shared_bytes, threads);
}

void run_block_together(const std::function<void()>& thread) {
  const bool descending = blocks_run % 2 == 1;
  // Late copies show a product that does not wait for its tile, late products a copy that does not wait for
  // the product before it.
  block.copies_are_late = blocks_run / 2 % 2 == 0;
  block.products_are_late = !block.copies_are_late;
  for (std::size_t i = 0; i < block.count; ++i) {
    block.threads[i]->begun.clear();
    block.threads[i]->groups.clear();
    block.threads[i]->sums_are_settled = false;
    block.threads[i]->products.clear();
    block.threads[i]->product_groups.clear();
    block.threads[i]->waits_for = nullptr;
    block.threads[i]->fiber.start(thread);
  }
  const std::size_t warps = block.warps.size();
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < warps; ++i)
      any = run_warp(descending ? warps - 1 - i : i, descending) || any;
  }
  for (std::size_t i = 0; i < block.count; ++i)
    if (!block.threads[i]->fiber.is_over())
      misuse(fmt::format("thread {} of a block waits for others for ever", i));
  for (std::size_t i = 0; i < block.count; ++i)
    if (!block.threads[i]->products.empty() || !block.threads[i]->product_groups.empty())
      misuse(fmt::format("thread {} of a block has ended before its products", i));
  for (std::size_t i = 0; i < kBehind; ++i)
    if (shared_begin()[block.shared_bytes + i] != kGuard)
      misuse(fmt::format("something wrote behind {} bytes of shared memory", block.shared_bytes));
}

}  // namespace

void run_grid(Threads threads, const Index& blocks, unsigned block_threads, std::size_t shared_bytes,
              const std::function<void()>& thread) {
  gridDim = blocks;
  blockDim = {block_threads, 1, 1};
  block.is_alone = threads == Threads::alone;
  for (blockIdx.z = 0; blockIdx.z < blocks.z; ++blockIdx.z)
    for (blockIdx.y = 0; blockIdx.y < blocks.y; ++blockIdx.y)
      for (blockIdx.x = 0; blockIdx.x < blocks.x; ++blockIdx.x, ++blocks_run)
        if (block.is_alone) {
          for (threadIdx.x = 0; threadIdx.x < block_threads; ++threadIdx.x) thread();
        } else {
          prepare_block(block_threads, shared_bytes);
          run_block_together(thread);
        }
}

const unsigned char* warp_exchange(const char* what, const void* mine, std::size_t bytes) {
  if (block.is_alone || bytes > kExchangeMax || block.count % kLanes != 0)
    misuse(fmt::format("{} by threads that are alone, or of a warp that is not whole", what));
  Warp& warp = block.warps[threadIdx.x / kLanes];
  if (warp.gate.arrived > 0 && std::strcmp(warp.what, what) != 0)
    misuse(fmt::format("lanes of a warp come to {} and to {}", warp.what, what));
  warp.what = what;
  auto& lanes = warp.lanes[warp.gate.opened % 2];
  std::memcpy(lanes.data() + threadIdx.x % kLanes * bytes, mine, bytes);
  pass(warp.gate, kLanes);
  return lanes.data();
}

unsigned char* shared_bytes_at(std::uint32_t offset, std::size_t bytes, std::size_t alignment) {
  if (offset % alignment != 0 || offset > block.shared_bytes || bytes > block.shared_bytes - offset)
    misuse(fmt::format("{} bytes at {} of {} bytes of shared memory", bytes, offset, block.shared_bytes));
  return shared_begin() + offset;
}

void begin_copy(std::uint32_t to, const void* from, std::uint32_t bytes) {
  const Copy copy{shared_bytes_at(to, 16, 16), to, bytes, from};
  piece_begun(to);
  if (!block.copies_are_late) copy.make();
  self().begun.push_back(copy);
}

void end_copies() {
  self().groups.push_back(std::move(self().begun));
  self().begun.clear();
}

void wait_for_groups(int pending) {
  auto& groups = self().groups;
  for (; groups.size() > static_cast<std::size_t>(pending); groups.pop_front())
    for (const Copy& copy : groups.front()) {
      if (block.copies_are_late) copy.make();
      piece_written(copy.offset);
    }
}

void settle_sums() {
  self().sums_are_settled = true;
}

void touch_sums() {
  self().sums_are_settled = false;
}

void begin_product(std::function<void()> product) {
  if (!self().sums_are_settled) misuse("wgmma without a wgmma.fence since its sums were touched");
  if (!block.products_are_late) {
    product();
    product = [] {};  // is still to be waited for
  }
  self().products.push_back(std::move(product));
}

void close_product_group() {
  self().product_groups.push_back(std::move(self().products));
  self().products.clear();
  touch_sums();
}

void finish_product_groups(int pending) {
  auto& groups = self().product_groups;
  for (; groups.size() > static_cast<std::size_t>(pending); groups.pop_front())
    for (const auto& product : groups.front()) product();
}

}  // namespace kernsweep::testing::fake_cuda

namespace kernsweep::cuda {

using namespace testing::fake_cuda;

unsigned char* block_memory() {
  if (block.is_alone) misuse("shared memory of threads that are alone");
  return shared_begin();
}

void block_wait() {
  if (block.is_alone) misuse("threads that are alone wait for each other");
  pass(block.gate, block.count);
}

}  // namespace kernsweep::cuda
