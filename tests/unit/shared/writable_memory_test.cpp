#include "shared/base/writable_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <vector>

namespace kernsweep {
namespace {

constexpr std::size_t kPage = 4096;

TEST(WritableMemory, IsWhatIsMappedForWritingAsAWhole) {
  std::vector<char> heap(3 * kPage);
  EXPECT_TRUE(is_writable(heap.data(), heap.size()));
  EXPECT_FALSE(is_writable(heap.data(), 0));
  static const char constant[] = "in a section that may only be read";
  EXPECT_FALSE(is_writable(constant, sizeof constant));
  EXPECT_FALSE(is_writable(nullptr, 8));
}

// Three pages; the middle one is read-only: the two others are writable, a range that touches it is not.
TEST(WritableMemory, IsNotWhereAPageOfItMayOnlyBeRead) {
  void* const mapped = mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const pages = static_cast<char*>(mapped);
  EXPECT_TRUE(is_writable(pages, 3 * kPage));
  ASSERT_EQ(mprotect(pages + kPage, kPage, PROT_READ), 0);
  EXPECT_TRUE(is_writable(pages, kPage));
  EXPECT_TRUE(is_writable(pages + 2 * kPage, kPage));
  EXPECT_FALSE(is_writable(pages, kPage + 1));
  EXPECT_FALSE(is_writable(pages + kPage, 2 * kPage));
  munmap(mapped, 3 * kPage);
}

// Written there, it would reach a file.
TEST(WritableMemory, IsNotWhatIsShared) {
  void* const mapped = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  EXPECT_FALSE(is_writable(mapped, kPage));
  munmap(mapped, kPage);
}

}  // namespace
}  // namespace kernsweep
