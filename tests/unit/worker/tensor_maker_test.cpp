#include "worker/tensor_maker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <set>

#include "shared/base/content_hash.hpp"
#include "tensors/arena.hpp"
#include "tensors/mapping.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr int kMakingLimitMs = 60000;

class TensorMakerTest : public testing::Test {
 protected:
  // Room for this many operands of one page each.
  void hold(std::uint64_t pages) { maker_.emplace(*WakeUp::make(), pages * kPage, 1); }

  // Operands of one page each, by their seeds, with so many copies each.
  static wire::TensorRequests operands(const std::vector<std::uint64_t>& seeds, std::uint32_t copies = 0) {
    wire::TensorRequests requests;
    for (const std::uint64_t seed : seeds) {
      wire::TensorSpec spec;
      spec.set_dtype(static_cast<std::uint32_t>(Dtype::f32));
      spec.add_shape(kPage / 4);
      spec.set_distribution(static_cast<std::uint32_t>(Distribution::uniform));
      spec.set_b(1);
      spec.set_density(1);
      spec.set_seed(seed);
      wire::TensorRequest& request = *requests.add_tensors();
      request.set_name("x");
      request.set_spec(spec.SerializeAsString());
      request.set_copies(copies);
    }
    return requests;
  }
  wire::TensorReplies obtain(std::uint32_t slot, const wire::TensorRequests& requests) {
    maker_->want(SlotId{slot}, requests, std::nullopt);
    pollfd made{maker_->descriptor(), POLLIN, 0};
    KS_ASSERT(poll(&made, 1, kMakingLimitMs) == 1);
    auto all = maker_->take();
    KS_ASSERT(all.size() == 1 && all[0].slot == SlotId{slot});
    return std::move(all[0].replies);
  }
  static std::vector<std::string> paths(const wire::TensorReplies& replies) {
    std::vector<std::string> all;
    for (const wire::TensorPlace& place : replies.tensors()) {
      all.push_back(place.path());
      all.insert(all.end(), place.copies().begin(), place.copies().end());
    }
    return all;
  }

  // The same, with a reference computed on them.
  static wire::TensorRequests with_reference(const std::vector<std::uint64_t>& seeds) {
    wire::TensorRequests requests = operands(seeds);
    requests.set_reference(std::string(16, 'r'));
    return requests;
  }
  // Gives the host a reference output of one page for them, as a slot that has computed it does.
  std::string offer(const std::vector<std::uint64_t>& seeds) {
    const std::string identity = obtain(99, with_reference(seeds)).reference().identity();
    auto buffer = SealedBuffer::create(kPage);
    KS_ASSERT(buffer.has_value());
    std::ranges::fill(buffer->writable(), std::byte{'r'});
    const Digest content = content_hash(buffer->writable().data(), kPage);
    KS_ASSERT(buffer->seal().has_value());
    wire::ReferenceOffer offered;
    offered.set_identity(identity);
    offered.mutable_place()->set_path(buffer->path());
    offered.mutable_place()->set_bytes(kPage);
    offered.mutable_place()->set_content_hash(content.hex());
    offered.mutable_place()->set_inode(buffer->inode() + (is_another_buffer ? 1 : 0));
    maker_->adopt(SlotId{99}, offered);
    maker_->forget(SlotId{99});
    (void)obtain(98, {});  // after the two: now the host has its own descriptor
    return identity;
  }

  std::optional<TensorMaker> maker_;
  bool is_another_buffer = false;
};

TEST_F(TensorMakerTest, SlotsThatWantTheSameShareTheCopies) {
  hold(100);
  const auto first = obtain(1, operands({1, 2}, 3));
  ASSERT_EQ(first.error(), "");
  ASSERT_EQ(paths(first).size(), 8u);
  EXPECT_EQ(paths(obtain(2, operands({1, 2}, 3))), paths(first));
  // A job that needs fewer gets the first of them.
  EXPECT_EQ(obtain(3, operands({1}, 1)).tensors(0).copies(0), first.tensors(0).copies(0));
}

TEST_F(TensorMakerTest, CopiesStayWhileTheirSlotMayHaveThemMapped) {
  hold(6);
  const auto held = obtain(1, operands({1}, 2));
  ASSERT_EQ(paths(held).size(), 3u);
  for (const std::uint64_t seed : {5u, 6u, 7u, 8u}) ASSERT_EQ(obtain(2, operands({seed})).error(), "");
  // All are still there: had one been evicted, its number would be another's by now.
  EXPECT_EQ(paths(obtain(1, operands({1}, 2))), paths(held));
  EXPECT_THAT(obtain(2, operands({5, 6, 7, 8})).error(), IsGolden())
      << "three pages are in use by the first slot";
  maker_->forget(SlotId{1});
  EXPECT_EQ(obtain(2, operands({5, 6, 7, 8})).error(), "");
}

// Four pages: a slot whose next job has the same operands, and is hot, holds no copies any more.
TEST_F(TensorMakerTest, AHotJobGivesUpTheCopiesAndKeepsTheOperands) {
  hold(4);
  ASSERT_EQ(paths(obtain(1, operands({1}, 2))).size(), 3u);
  EXPECT_NE(obtain(2, operands({5, 6})).error(), "");
  ASSERT_EQ(obtain(1, operands({1})).error(), "");
  EXPECT_EQ(obtain(2, operands({5, 6, 7})).error(), "");
  EXPECT_NE(obtain(2, operands({5, 6, 7, 8})).error(), "") << "the operand of slot 1 stays";
}

// Copies may take three of six pages.
TEST_F(TensorMakerTest, WithoutRoomForAllCopiesThereAreNoneAndTheOperandsComeAllTheSame) {
  hold(6);
  const auto got = obtain(1, operands({1, 2}, 2));
  EXPECT_EQ(got.error(), "");
  EXPECT_EQ(paths(got).size(), 2u) << "four copies would be too many, three of them are of no use";
  // The three that were made are not in use: four pages are free in addition to the two operands.
  EXPECT_EQ(obtain(2, operands({5, 6, 7, 8})).error(), "");
}

TEST_F(TensorMakerTest, WhatTheSlotHadBeforeMakesRoomForWhatItWantsNow) {
  hold(6);
  ASSERT_EQ(paths(obtain(1, operands({1}, 3))).size(), 4u);
  EXPECT_EQ(paths(obtain(1, operands({2}, 3))).size(), 4u) << "copies";
  EXPECT_EQ(obtain(1, operands({3, 4, 5, 6, 7, 8})).error(), "") << "operands";
}

// The number comes from another process.
TEST_F(TensorMakerTest, MoreCopiesThanAHostMakesAreNone) {
  hold(100);
  EXPECT_EQ(paths(obtain(1, operands({1}, kTensorCopiesMax))).size(), 1u + kTensorCopiesMax);
  for (const std::uint32_t copies : {kTensorCopiesMax + 1, 0xFFFFFFFFu}) {
    const auto got = obtain(1, operands({1}, copies));
    EXPECT_EQ(got.error(), "");
    EXPECT_EQ(paths(got).size(), 1u);
  }
}

TEST_F(TensorMakerTest, AnOperandThatCannotBeMadeFailsTheAnswerWhateverItsCopies) {
  hold(2);
  EXPECT_THAT(obtain(1, operands({1, 2, 3}, 1)).error(), IsGolden());
  wire::TensorRequests unreadable = operands({1}, 1);
  unreadable.mutable_tensors(0)->set_spec("\xFF");
  EXPECT_THAT(obtain(1, unreadable).error(), IsGolden());
}

TEST_F(TensorMakerTest, ARequestForAReferenceAloneIsAnswered) {
  hold(2);
  const auto got = obtain(1, with_reference({}));
  EXPECT_EQ(got.error(), "");
  EXPECT_EQ(got.reference().identity().size(), 16u);
  EXPECT_EQ(got.reference().path(), "");
  EXPECT_FALSE(obtain(1, operands({1})).has_reference()) << "nobody asked for it";
}

TEST_F(TensorMakerTest, AReferenceIsOfItsComputationAndItsOperandsInTheirOrder) {
  hold(10);
  std::set<std::string> identities;
  for (const auto& seeds : std::vector<std::vector<std::uint64_t>>{{}, {1}, {2}, {1, 2}, {2, 1}, {1, 1}})
    identities.insert(obtain(1, with_reference(seeds)).reference().identity());
  auto other = with_reference({1});
  other.set_reference(std::string(16, 's'));
  identities.insert(obtain(1, other).reference().identity());
  EXPECT_EQ(identities.size(), 7u);
}

TEST_F(TensorMakerTest, AReferenceIsHandedOutToWhoDoesNotHaveIt) {
  hold(10);
  const std::string identity = offer({1});
  auto wanted = with_reference({1});
  const auto got = obtain(1, wanted).reference();
  EXPECT_EQ(got.identity(), identity);
  EXPECT_EQ(got.bytes(), kPage);
  EXPECT_EQ(got.content_hash().size(), 32u);
  EXPECT_NE(got.path(), "");
  wanted.set_reference_held(identity);
  EXPECT_EQ(obtain(2, wanted).reference().path(), "");
  EXPECT_EQ(obtain(3, with_reference({2})).reference().path(), "");
}

TEST_F(TensorMakerTest, AnOfferThatIsAnotherBufferByNowIsNotKept) {
  hold(10);
  is_another_buffer = true;
  (void)offer({1});
  EXPECT_EQ(obtain(1, with_reference({1})).reference().path(), "");
}

// Three pages: the operand and the reference of slot 1, which has not opened it yet, and one more. Had the
// reference been evicted, its number would be another tensor's by now.
TEST_F(TensorMakerTest, AReferenceThatWasHandedOutStaysUntilItsSlotAsksAgain) {
  hold(3);
  (void)offer({1});
  const auto got = obtain(1, with_reference({1}));
  ASSERT_NE(got.reference().path(), "");
  for (const std::uint64_t seed : {5u, 6u, 7u}) ASSERT_EQ(obtain(2, operands({seed})).error(), "");
  const auto mapping = TensorMapping::open(got.reference().path(), kPage);
  ASSERT_TRUE(mapping) << mapping.error().message;
  EXPECT_EQ(content_hash(mapping->bytes().data(), kPage).hex(), got.reference().content_hash());
  // Slot 1 continues with the same operand, and has the reference: now it may be evicted.
  auto again = with_reference({1});
  again.set_reference_held(got.reference().identity());
  ASSERT_EQ(obtain(1, again).error(), "");
  ASSERT_EQ(obtain(2, operands({5, 6})).error(), "");
  EXPECT_EQ(obtain(3, with_reference({1})).reference().path(), "");
}

// A slot that finds another tensor in its place computes it; an operand is indispensable.
TEST_F(TensorMakerTest, AReferenceThatWasHandedOutGivesWayToOperandsThatFindNoOtherRoom) {
  hold(3);
  (void)offer({1});
  ASSERT_NE(obtain(1, with_reference({1})).reference().path(), "");
  EXPECT_EQ(obtain(2, operands({5, 6})).error(), "");
  EXPECT_THAT(obtain(2, operands({5, 6, 7})).error(), IsGolden()) << "operands do not give way";
}

}  // namespace
}  // namespace kernsweep
