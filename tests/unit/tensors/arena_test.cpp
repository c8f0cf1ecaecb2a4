#include "tensors/arena.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "shared/base/content_hash.hpp"
#include "tensors/mapping.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/tensors/child.hpp"
#include "tests/unit/tensors/pages.hpp"

namespace kernsweep {
namespace {

using testing_tensors::bytes_at;
using testing_tensors::Child;
using testing_tensors::generated;
using testing_tensors::kPage;
using testing_tensors::page_of;

TEST(TensorArenaTest, MakesWhatIsDescribed) {
  TensorArena arena(1 << 20, 2);
  const TensorSpec spec = page_of(1);
  const auto placed = arena.obtain(spec);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_EQ(placed->identity, spec.identity());
  EXPECT_EQ(placed->bytes, 4096u);
  EXPECT_GT(placed->seconds_to_make, 0.0);
  const auto expected = generated(spec);
  EXPECT_EQ(bytes_at(*placed), expected);
  EXPECT_EQ(placed->content_hash, content_hash(expected.data(), expected.size()));
}

TEST(TensorArenaTest, MakesEachTensorOnce) {
  TensorArena arena(1 << 20, 1);
  const auto first = arena.obtain(page_of(1));
  const auto again = arena.obtain(page_of(1));
  ASSERT_TRUE(first && again);
  EXPECT_EQ(first->path, again->path);
  EXPECT_EQ(arena.tensors_held(), 1u);
  EXPECT_EQ(arena.bytes_held(), kPage);
}

TEST(TensorArenaTest, KeepsOneCopyPerNodeThatIsAskedFor) {
  TensorArena arena(1 << 20, 1);
  const auto anywhere = arena.obtain(page_of(1));
  const auto on_node = arena.obtain(page_of(1), 0);
  ASSERT_TRUE(anywhere && on_node);
  EXPECT_NE(anywhere->path, on_node->path);
  EXPECT_EQ(anywhere->identity, on_node->identity);
  EXPECT_EQ(anywhere->content_hash, on_node->content_hash);
  EXPECT_EQ(arena.obtain(page_of(1), 0)->path, on_node->path);
  EXPECT_EQ(arena.tensors_held(), 2u);
  EXPECT_FALSE(arena.obtain(page_of(1), 9999));
}

TEST(TensorArenaTest, EvictsWhatWasUsedLongestAgo) {
  TensorArena arena(3 * kPage, 1);
  for (const std::uint64_t seed : {1u, 2u, 3u}) ASSERT_TRUE(arena.obtain(page_of(seed)));
  ASSERT_TRUE(arena.obtain(page_of(1)));  // 2 is now the oldest
  ASSERT_TRUE(arena.obtain(page_of(4)));
  EXPECT_FALSE(arena.find(page_of(2).identity()));
  // Looking is a use as well: after these two looks 4 is the oldest of 4, 1, 3.
  EXPECT_TRUE(arena.find(page_of(1).identity()));
  EXPECT_TRUE(arena.find(page_of(3).identity()));
  ASSERT_TRUE(arena.obtain(page_of(5)));
  EXPECT_FALSE(arena.find(page_of(4).identity()));
  EXPECT_TRUE(arena.find(page_of(1).identity()));
  EXPECT_TRUE(arena.find(page_of(3).identity()));
  EXPECT_EQ(arena.bytes_held(), 3 * kPage);
}

TEST(TensorArenaTest, EvictsAsManyAsNeeded) {
  TensorArena arena(3 * kPage, 1);
  for (const std::uint64_t seed : {1u, 2u, 3u}) ASSERT_TRUE(arena.obtain(page_of(seed)));
  TensorSpec two_pages = page_of(9);
  two_pages.shape = {64, 32};
  ASSERT_TRUE(arena.obtain(two_pages));
  EXPECT_FALSE(arena.find(page_of(1).identity()));
  EXPECT_FALSE(arena.find(page_of(2).identity()));
  EXPECT_TRUE(arena.find(page_of(3).identity()));
}

TEST(TensorArenaTest, NeverEvictsWhatIsPinned) {
  TensorArena arena(2 * kPage, 1);
  ASSERT_TRUE(arena.obtain(page_of(1)));
  ASSERT_TRUE(arena.obtain(page_of(2)));
  arena.pin(page_of(1).identity());
  ASSERT_TRUE(arena.obtain(page_of(3)));
  EXPECT_TRUE(arena.find(page_of(1).identity()));
  arena.pin(page_of(3).identity());
  const auto none = arena.obtain(page_of(4));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, IsGolden());
  EXPECT_EQ(arena.tensors_held(), 2u);  // nothing was evicted without use
}

TEST(TensorArenaTest, PinsCount) {
  TensorArena arena(kPage, 1);
  const Digest identity = page_of(1).identity();
  arena.pin(identity);  // before it is made: it can never slip away in between
  arena.pin(identity);
  ASSERT_TRUE(arena.obtain(page_of(1)));
  arena.unpin(identity);
  EXPECT_FALSE(arena.obtain(page_of(2)));
  arena.unpin(identity);
  EXPECT_TRUE(arena.obtain(page_of(2)));
}

TEST(TensorArenaDeathTest, UnpinningWhatIsNotPinnedIsABug) {
  TensorArena arena(kPage, 1);
  EXPECT_DEATH(arena.unpin(Digest{}), "bug");
}

TEST(TensorArenaTest, MoreThanTheBudgetIsAnErrorWithBothNumbers) {
  TensorArena arena(kPage, 1);
  ASSERT_TRUE(arena.obtain(page_of(1)));
  TensorSpec large = page_of(2);
  large.shape = {32, 33};  // 4224 bytes: two pages
  const auto placed = arena.obtain(large);
  ASSERT_FALSE(placed);
  EXPECT_THAT(placed.error().message, IsGolden());
  EXPECT_TRUE(arena.find(page_of(1).identity()));
}

TEST(TensorArenaTest, HoldsNoMoreTensorsThanItMayOpenFiles) {
  TensorArena arena(1 << 20, 1, 2);
  for (const std::uint64_t seed : {1u, 2u, 3u}) ASSERT_TRUE(arena.obtain(page_of(seed)));
  EXPECT_EQ(arena.tensors_held(), 2u);
  EXPECT_FALSE(arena.find(page_of(1).identity())) << "the oldest went";
  arena.pin(page_of(2).identity());
  arena.pin(page_of(3).identity());
  const auto none = arena.obtain(page_of(4));
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, IsGolden());
  EXPECT_EQ(arena.tensors_held(), 2u);
}

TEST(TensorArenaTest, BadDescriptionsAreErrors) {
  TensorArena arena(1 << 20, 1);
  TensorSpec spec = page_of(1);
  spec.shape = {-1};
  EXPECT_THAT(arena.obtain(spec).error().message, IsGolden());
}

TEST(TensorArenaTest, TensorsWithoutElementsHaveAPlaceToo) {
  TensorArena arena(1 << 20, 1);
  TensorSpec spec = page_of(1);
  spec.shape = {0, 5};
  const auto placed = arena.obtain(spec);
  ASSERT_TRUE(placed) << placed.error().message;
  EXPECT_TRUE(bytes_at(*placed).empty());
}

TEST(TensorArenaTest, NothingRemainsOfAKilledOwnerButWhatIsMapped) {
  const TensorSpec spec = page_of(77);
  Child worker([&] {
    static TensorArena arena(1 << 20, 1);
    return arena.obtain(spec)->path;
  });
  const auto mapping = TensorMapping::open(worker.said(), spec.bytes());
  ASSERT_TRUE(mapping) << mapping.error().message;
  worker.kill_it();
  const std::vector<std::byte> seen(mapping->bytes().begin(), mapping->bytes().end());
  EXPECT_EQ(seen, generated(spec));
  EXPECT_FALSE(TensorMapping::open(worker.said(), spec.bytes()));
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    EXPECT_EQ(entry.path().string().find("kernsweep-tensor"), std::string::npos) << entry.path();
}

TEST(TensorArenaTest, AdoptsWhatASlotOffersAndKeepsItWhenTheSlotIsKilled) {
  const Digest identity = digest_of("reference output of some point");
  Child slot([] {
    static auto buffer = SealedBuffer::create(5);
    std::memcpy(buffer->writable().data(), "12345", 5);
    return buffer->seal() ? buffer->path() : "failed";
  });
  TensorArena arena(1 << 20, 1);
  const auto adopted = arena.adopt(identity, slot.said(), 5, {content_hash("12345", 5)});
  ASSERT_TRUE(adopted) << adopted.error().message;
  slot.kill_it();
  const auto held = arena.find(identity);
  ASSERT_TRUE(held);
  EXPECT_EQ(held->content_hash, content_hash("12345", 5));
  const auto bytes = bytes_at(*held);
  EXPECT_EQ(std::memcmp(bytes.data(), "12345", 5), 0);
  // A second offer of the same changes nothing, even one that is no longer there.
  EXPECT_EQ(arena.adopt(identity, slot.said(), 5, {content_hash("12345", 5)})->path, held->path);
  EXPECT_EQ(arena.tensors_held(), 1u);
}

// A reference that was computed again, because one of its files has changed, has new content. An input has
// its content from its identity, and no slot can give it another one.
TEST(TensorArenaTest, AnOfferOfOtherContentReplacesWhatWasAdoptedAndNothingElse) {
  const auto sealed = [](const char* text) {
    auto buffer = SealedBuffer::create(5);
    std::memcpy(buffer->writable().data(), text, 5);
    EXPECT_TRUE(buffer->seal());
    return buffer;
  };
  const auto before = sealed("12345"), after = sealed("54321");
  const Digest identity = digest_of("reference output of some point");
  TensorArena arena(2 * kPage, 1);
  ASSERT_TRUE(arena.adopt(identity, before->path(), 5, {content_hash("12345", 5), before->inode()}));
  EXPECT_FALSE(arena.adopt(identity, after->path(), 5, {content_hash("54321", 5), before->inode()}))
      << "another buffer has its place by now";
  EXPECT_EQ(arena.find(identity)->content_hash, content_hash("12345", 5));
  arena.pin(identity);
  ASSERT_TRUE(arena.adopt(identity, after->path(), 5, {content_hash("54321", 5), after->inode()}));
  arena.unpin(identity);
  EXPECT_EQ(arena.find(identity)->content_hash, content_hash("54321", 5));
  EXPECT_EQ(arena.tensors_held(), 1U);
  EXPECT_EQ(arena.bytes_held(), kPage);
  const auto input = arena.obtain(page_of(1));
  ASSERT_TRUE(input);
  const auto offered =
      arena.adopt(input->identity, after->path(), 5, {content_hash("54321", 5), after->inode()});
  ASSERT_TRUE(offered);
  EXPECT_EQ(offered->content_hash, input->content_hash);
}

TEST(TensorArenaTest, AdoptedTensorsAreEvictedLikeOthers) {
  auto buffer = SealedBuffer::create(kPage);
  ASSERT_TRUE(buffer && buffer->seal());
  TensorArena arena(kPage, 1);
  ASSERT_TRUE(arena.adopt(Digest{}, buffer->path(), kPage, {}));
  ASSERT_TRUE(arena.obtain(page_of(1)));
  EXPECT_FALSE(arena.find(Digest{}));
}

TEST(TensorArenaTest, OffersThatAreNotSealedMemoryAreRefused) {
  TensorArena arena(2 * kPage, 1);
  for (const char* path : {"/etc/hostname", "/proc/self/fd/0", "/proc/1/fd/", "/proc//fd/1",
                           "/proc/1/fd/1/x", "", "/proc/1/maps"})
    EXPECT_THAT(arena.adopt(Digest{}, path, 5, {}).error().message, IsGolden()) << path;
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const std::string at_null = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(null);
  EXPECT_THAT(arena.adopt(Digest{}, at_null, 0, {}).error().message, IsGolden());
  close(null);
  auto buffer = SealedBuffer::create(3 * kPage);
  ASSERT_TRUE(buffer);
  EXPECT_THAT(arena.adopt(Digest{}, buffer->path(), 3 * kPage, {}).error().message, IsGolden());
  ASSERT_TRUE(buffer->seal());
  EXPECT_THAT(arena.adopt(Digest{}, buffer->path(), kPage, {}).error().message, IsGolden());
  EXPECT_THAT(arena.adopt(Digest{}, buffer->path(), 3 * kPage, {}).error().message, IsGolden());
  EXPECT_EQ(arena.tensors_held(), 0u);
}

}  // namespace
}  // namespace kernsweep
