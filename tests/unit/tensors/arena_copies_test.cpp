// Copies of tensors: the same bits on other pages, counted, pinned and evicted like any tensor, and never
// more of them in use than half of the budget.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "tensors/arena.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/tensors/pages.hpp"

namespace kernsweep {
namespace {

using testing_tensors::bytes_at;
using testing_tensors::generated;
using testing_tensors::kPage;
using testing_tensors::page_of;

// Which memory a place is: another file has other pages.
ino_t inode_of(const Placed& placed) {
  struct stat status {};
  KS_ASSERT(stat(placed.path.c_str(), &status) == 0);
  return status.st_ino;
}

// A copy of what is obtained first.
Result<Placed> copy_of(TensorArena& arena, const TensorSpec& spec, std::uint32_t copy,
                       std::optional<int> node = std::nullopt) {
  const auto original = arena.obtain(spec, node);
  return original ? arena.obtain_copy(*original, copy) : original;
}

bool held(TensorArena& arena, std::uint64_t seed) {
  return arena.find(page_of(seed).identity()).has_value();
}

TEST(ArenaCopiesTest, HaveTheBitsOfTheTensorOnPagesOfTheirOwn) {
  TensorArena arena(1 << 20, 2);
  const TensorSpec spec = page_of(1);
  const auto original = arena.obtain(spec);
  ASSERT_TRUE(original) << original.error().message;
  std::set<ino_t> places{inode_of(*original)};
  for (const std::uint32_t copy : {1u, 2u, 3u}) {
    const auto placed = copy_of(arena, spec, copy);
    ASSERT_TRUE(placed) << placed.error().message;
    EXPECT_EQ(bytes_at(*placed), generated(spec));
    EXPECT_EQ(placed->identity, original->identity);
    EXPECT_EQ(placed->content_hash, original->content_hash);
    EXPECT_EQ(placed->copy, copy);
    EXPECT_TRUE(places.insert(inode_of(*placed)).second) << "shares its pages";
  }
  EXPECT_EQ(arena.tensors_held(), 4u);
  EXPECT_EQ(arena.bytes_held(), 4 * kPage) << "each is charged";
}

TEST(ArenaCopiesTest, AreMadeOnce) {
  TensorArena arena(1 << 20, 1);
  const auto copy = copy_of(arena, page_of(1), 1);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(arena.tensors_held(), 2u);
  EXPECT_EQ(copy_of(arena, page_of(1), 1)->path, copy->path);
  EXPECT_NE(arena.obtain(page_of(1))->path, copy->path);
  EXPECT_EQ(arena.tensors_held(), 2u);
  EXPECT_FALSE(TensorMapping::open(copy->path, copy->bytes + 1)) << "sealed like any tensor";
}

TEST(ArenaCopiesTest, OfWhatWasEvictedAreRefused) {
  TensorArena arena(2 * kPage, 1);
  const auto original = arena.obtain(page_of(1));
  ASSERT_TRUE(original && arena.obtain(page_of(2)) && arena.obtain(page_of(3)));
  const auto copy = arena.obtain_copy(*original, 1);
  ASSERT_FALSE(copy);
  EXPECT_THAT(copy.error().message, IsGolden());
}

TEST(ArenaCopiesTest, AreKeptPerNodeToo) {
  TensorArena arena(1 << 20, 1);
  const auto anywhere = copy_of(arena, page_of(1), 1);
  const auto on_node = copy_of(arena, page_of(1), 1, 0);
  ASSERT_TRUE(anywhere && on_node);
  EXPECT_NE(inode_of(*anywhere), inode_of(*on_node));
  EXPECT_EQ(on_node->node, 0);
}

// 3 MiB and 4 bytes on 3 threads: the last part is a byte longer.
TEST(ArenaCopiesTest, OfSeveralThreadsAreWhole) {
  TensorArena arena(16 << 20, 3);
  TensorSpec spec;
  spec.shape = {3 * (1 << 18) + 1};
  const auto copy = copy_of(arena, spec, 1);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_EQ(bytes_at(*copy), generated(spec));
}

TEST(ArenaCopiesTest, OfATensorWithoutElementsAreEmpty) {
  TensorArena arena(1 << 20, 1);
  TensorSpec spec = page_of(1);
  spec.shape = {0, 5};
  const auto copy = copy_of(arena, spec, 1);
  ASSERT_TRUE(copy) << copy.error().message;
  EXPECT_TRUE(bytes_at(*copy).empty());
}

TEST(ArenaCopiesTest, TheOldestGoWhenRoomIsNeeded) {
  TensorArena arena(4 * kPage, 1);
  ASSERT_TRUE(arena.obtain(page_of(9)));
  ASSERT_TRUE(copy_of(arena, page_of(1), 1));
  ASSERT_TRUE(copy_of(arena, page_of(1), 2));
  EXPECT_EQ(arena.bytes_held(), 4 * kPage);
  ASSERT_TRUE(arena.obtain(page_of(10)));  // 9 goes
  ASSERT_TRUE(arena.obtain(page_of(11)));  // and copy 1, used before the tensor was for copy 2
  EXPECT_FALSE(held(arena, 9));
  EXPECT_TRUE(held(arena, 1));
  EXPECT_EQ(arena.bytes_held(), 4 * kPage);
  EXPECT_EQ(arena.tensors_held(), 4u);
}

// The other three of four pages are in use: only the place of the tensor itself would be left.
TEST(ArenaCopiesTest, NeverTakeThePlaceOfTheirTensor) {
  TensorArena arena(4 * kPage, 1);
  for (const std::uint64_t seed : {2u, 3u, 4u}) {
    arena.pin(page_of(seed).identity());
    ASSERT_TRUE(arena.obtain(page_of(seed)));
  }
  const auto original = arena.obtain(page_of(1));
  ASSERT_TRUE(original);
  EXPECT_FALSE(arena.obtain_copy(*original, 1));
  EXPECT_TRUE(held(arena, 1)) << "what was refused took nothing away";
  arena.unpin(page_of(4).identity());
  EXPECT_TRUE(arena.obtain_copy(*original, 1));
  EXPECT_TRUE(held(arena, 1));
  EXPECT_FALSE(held(arena, 4));
}

TEST(ArenaCopiesTest, ArePinnedByTheirNumber) {
  TensorArena arena(4 * kPage, 1);
  const Digest identity = page_of(1).identity();
  const auto first = copy_of(arena, page_of(1), 1);
  ASSERT_TRUE(first && copy_of(arena, page_of(1), 2));
  arena.pin(identity);
  arena.pin(identity, 1);
  for (const std::uint64_t seed : {5u, 6u, 7u}) ASSERT_TRUE(arena.obtain(page_of(seed)));
  EXPECT_EQ(copy_of(arena, page_of(1), 1)->path, first->path);
  EXPECT_EQ(arena.tensors_held(), 4u);
  EXPECT_FALSE(held(arena, 5)) << "copy 2 was not pinned, and went for one of them";
  arena.unpin(identity, 1);
  for (const std::uint64_t seed : {8u, 9u, 10u}) ASSERT_TRUE(arena.obtain(page_of(seed)));
  EXPECT_TRUE(held(arena, 1));
  for (const std::uint64_t seed : {8u, 9u, 10u}) EXPECT_TRUE(held(arena, seed)) << "copy 1 went";
}

// Copies may use three of six pages: an operand of another job still fits.
TEST(ArenaCopiesTest, InUseTakeHalfOfTheBudgetAtMost) {
  TensorArena arena(6 * kPage, 1);
  const Digest identity = page_of(1).identity();
  arena.pin(identity);
  for (const std::uint32_t copy : {1u, 2u, 3u}) {
    ASSERT_TRUE(copy_of(arena, page_of(1), copy));
    arena.pin(identity, copy);
  }
  const auto fourth = copy_of(arena, page_of(1), 4);
  ASSERT_FALSE(fourth);
  EXPECT_THAT(fourth.error().message, IsGolden());
  EXPECT_THAT(fourth.error().message, IsGolden());
  EXPECT_TRUE(copy_of(arena, page_of(1), 3)) << "held and in use: costs nothing more";
  EXPECT_TRUE(arena.obtain(page_of(2)));
  EXPECT_TRUE(arena.obtain(page_of(3)));
  arena.unpin(identity, 3);
  EXPECT_TRUE(copy_of(arena, page_of(1), 4)) << "copy 3 made room";
}

// Unused copies may fill the budget, but one of them becomes used again only within its half.
TEST(ArenaCopiesTest, ThatAreHeldCountAgainWhenTheyAreUsedAgain) {
  TensorArena arena(4 * kPage, 1);
  for (const std::uint32_t copy : {1u, 2u, 3u}) ASSERT_TRUE(copy_of(arena, page_of(1), copy));
  const Digest identity = page_of(1).identity();
  for (const std::uint32_t copy : {1u, 2u}) {
    ASSERT_TRUE(copy_of(arena, page_of(1), copy));
    arena.pin(identity, copy);
  }
  EXPECT_FALSE(copy_of(arena, page_of(1), 3));
}

}  // namespace
}  // namespace kernsweep
