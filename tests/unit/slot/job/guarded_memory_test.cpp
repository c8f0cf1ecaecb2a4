#include "worker/slot/job/guarded_memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace kernsweep {
namespace {

bool all_zero(const void* block, std::size_t bytes) {
  const auto* const begin = static_cast<const unsigned char*>(block);
  return std::all_of(begin, begin + bytes, [](unsigned char byte) { return byte == 0; });
}

TEST(GuardedMemoryTest, IsZeroFilledAndAlignedToAPage) {
  GuardedMemory memory;
  for (const std::size_t bytes : {1u, 4095u, 4096u, 4097u, 1u << 20}) {
    void* const block = memory.allocate(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0u);
    EXPECT_TRUE(all_zero(block, bytes));
    std::memset(block, 0xFF, bytes);
  }
}

TEST(GuardedMemoryTest, BlocksDoNotOverlap) {
  GuardedMemory memory;
  void* const first = memory.allocate(10000);
  void* const second = memory.allocate(10000);
  std::memset(first, 0xFF, 10000);
  EXPECT_TRUE(all_zero(second, 10000));
}

TEST(GuardedMemoryTest, IsZeroAgainAfterClear) {
  GuardedMemory memory;
  for (int round = 0; round < 3; ++round) {
    void* const block = memory.allocate(1 << 16);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(all_zero(block, 1 << 16));
    std::memset(block, 0xFF, 1 << 16);
    memory.clear();
  }
}

TEST(GuardedMemoryTest, MoreThanThereIsIsRefused) {
  GuardedMemory memory;
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  for (const std::size_t bytes : {kAll, kAll - 4095, kAll - 4096, kAll - 8192, kAll / 2}) {
    EXPECT_EQ(memory.allocate(bytes), nullptr) << bytes;
  }
  EXPECT_NE(memory.allocate(8), nullptr) << "and nothing is broken by it";
}

// Sanitizers end a process in their own words, so only the death itself is expected.
TEST(GuardedMemoryDeathTest, WritingBehindTheLastPageDies) {
  GuardedMemory memory;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  volatile char* const block = static_cast<char*>(memory.allocate(page));
  ASSERT_NE(block, nullptr);
  block[page - 1] = 1;
  EXPECT_DEATH(block[page] = 1, "");
}

TEST(GuardedMemoryDeathTest, ABlockOfNothingMayNotBeTouched) {
  GuardedMemory memory;
  volatile char* const block = static_cast<char*>(memory.allocate(0));
  ASSERT_NE(block, nullptr);
  EXPECT_DEATH(block[0] = 1, "");
}

}  // namespace
}  // namespace kernsweep
