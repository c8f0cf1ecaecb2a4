// The simulated GPU notices what a kernel forgets: faults that are planted one at a time in a product of
// one warpgroup, 64 x 128 elements and 64 along k.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

#include "kernels/cuda/warpgroup_instructions.hpp"
#include "tests/kernels/cuda/fake_driver/host_block.hpp"
#include "tests/kernels/cuda/fake_driver/host_copies.hpp"
#include "tests/kernels/cuda/fake_driver/host_warpgroup.hpp"

namespace kernsweep::testing {
namespace {

using cuda::Bf16;
using cuda::SharedAddress;

enum class Fault {
  none,
  copies_not_awaited,
  not_published,
  published_too_early,
  published_too_late,
  block_not_awaited,
  not_begun,
  sums_touched,
  next_tile_too_early,
  sums_too_early,
  products_not_awaited,
  tile_anywhere,
};

constexpr int kRows = 64, kColumns = 128, kDepth = 64, kRowPieces = 8, kPieceElements = 8;
constexpr unsigned kBlocks = 4;  // one of each order of threads, copies and products

struct ProductOfOnes {
  alignas(16) Bf16 ones[kDepth] = {}, zeros[kDepth] = {};
  float sums[kBlocks][kRows * kColumns] = {};

  ProductOfOnes() {
    for (Bf16& one : ones) one.bits = 0x3f80;
  }
};

// All lines of both operands are the same.
void begin_tile(SharedAddress tile, const Bf16* line) {
  for (unsigned i = fake_cuda::threadIdx.x; i < (kRows + kColumns) * kRowPieces; i += 128) {
    const unsigned row = i / kRowPieces, piece = i % kRowPieces;
    cuda::begin_copy_16(tile + row * 128 + (piece ^ row % 8) * 16, line + piece * kPieceElements, 16);
  }
  cuda::end_copy_group();
}

void multiply_with(Fault fault, ProductOfOnes& product) {
  const SharedAddress memory = cuda::shared_address(cuda::block_memory());
  const SharedAddress tile = fault == Fault::tile_anywhere ? memory : (memory + 1023) / 1024 * 1024;
  begin_tile(tile, product.ones);
  if (fault == Fault::published_too_early) cuda::publish_to_tensor_cores();
  if (fault != Fault::copies_not_awaited) cuda::wait_for_copies<0>();
  const bool elsewhere = fault == Fault::published_too_early || fault == Fault::published_too_late;
  if (fault != Fault::not_published && !elsewhere) cuda::publish_to_tensor_cores();
  if (fault != Fault::block_not_awaited) cuda::block_wait();
  if (fault == Fault::published_too_late) cuda::publish_to_tensor_cores();

  float c[64] = {};
  const auto write = [&] {
    const unsigned thread = fake_cuda::threadIdx.x;
    for (unsigned i = 0; i < 64; ++i) product.sums[fake_cuda::blockIdx.x][64 * thread + i] = c[i];
  };
  if (fault != Fault::not_begun) cuda::begin_products();
  if (fault == Fault::sums_touched) cuda::keep_in_place(c);
  for (unsigned step = 0; step < kDepth / 16; ++step)
    cuda::add_product(Bf16{}, c, cuda::warpgroup_operand(tile + 32 * step),
                      cuda::warpgroup_operand(tile + kRows * 128 + 32 * step));
  cuda::end_products();
  if (fault == Fault::next_tile_too_early) begin_tile(tile, product.zeros);
  if (fault == Fault::sums_too_early) write();
  if (fault != Fault::products_not_awaited) cuda::wait_for_products<0>();
  if (fault != Fault::sums_too_early) write();
}

void run_blocks(const std::function<void()>& thread) {
  const std::size_t shared_bytes = (kRows + kColumns) * 128 + 1024;
  fake_cuda::run_grid(fake_cuda::Threads::together, {kBlocks, 1, 1}, 128, shared_bytes, thread);
}

// How many of the blocks have the right product.
unsigned blocks_right_with(Fault fault) {
  const auto product = std::make_unique<ProductOfOnes>();
  run_blocks([&] { multiply_with(fault, *product); });
  unsigned right = 0;
  for (const auto& sums : product->sums)
    if (std::all_of(std::begin(sums), std::end(sums), [](float sum) { return sum == kDepth; })) ++right;
  return right;
}

TEST(FakeBlock, HasTheProductOfAKernelThatForgetsNothing) {
  EXPECT_EQ(blocks_right_with(Fault::none), kBlocks);
}

TEST(FakeBlock, EndsAProgramThatMultipliesWhatHasNotArrived) {
  EXPECT_DEATH(blocks_right_with(Fault::copies_not_awaited), "that a copy of thread [0-9]+ still writes");
  EXPECT_DEATH(blocks_right_with(Fault::block_not_awaited), "that nobody has written");
}

TEST(FakeBlock, EndsAProgramThatMultipliesWhatIsNotPublishedOrInTheWrongPlace) {
  const char* const told = "that thread [0-9]+ has written and not published";
  EXPECT_DEATH(blocks_right_with(Fault::published_too_early), told) << "before the copies were there";
  EXPECT_DEATH(blocks_right_with(Fault::not_published), told);
  EXPECT_DEATH(blocks_right_with(Fault::published_too_late), told) << "after the block's wait";
}

TEST(FakeBlock, EndsAProgramThatTakesTheTilesPlaceBeforeTheProductIsOver) {
  EXPECT_DEATH(blocks_right_with(Fault::next_tile_too_early), "that a copy of thread [0-9]+ still writes");
}

TEST(FakeBlock, EndsAProgramWhoseSumsAreNotSettledBeforeAProduct) {
  for (const Fault fault : {Fault::not_begun, Fault::sums_touched})
    EXPECT_DEATH(blocks_right_with(fault), "without a wgmma.fence");
}

TEST(FakeBlock, HasNoSumsBeforeProductsAreAwaitedWhereTheyAreLate) {
  EXPECT_EQ(blocks_right_with(Fault::sums_too_early), kBlocks / 2);
}

TEST(FakeBlock, EndsAProgramThatDoesNotAwaitItsProducts) {
  EXPECT_DEATH(blocks_right_with(Fault::products_not_awaited), "has ended before its products");
}

TEST(FakeBlock, EndsAProgramWhoseTilesBeginWhereTheMemoryOfTheBlockDoes) {
  EXPECT_DEATH(blocks_right_with(Fault::tile_anywhere), "not at a multiple of 1024 bytes");
}

TEST(FakeBlock, EndsAProgramThatCopiesNothingFromAnAddressThatIsNotAligned) {
  const ProductOfOnes product;
  const auto copy = [&](const Bf16* from) {
    run_blocks([&] { cuda::begin_copy_16(cuda::shared_address(cuda::block_memory()), from, 0); });
  };
  copy(product.ones);
  EXPECT_DEATH(copy(product.ones + 1), "an address that is not aligned");
}

}  // namespace
}  // namespace kernsweep::testing
