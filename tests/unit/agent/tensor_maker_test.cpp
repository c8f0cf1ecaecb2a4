#include "worker/agent/tensor_maker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "shared/tensors/arena.hpp"

namespace kernsweep {
namespace {

using testing::HasSubstr;

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

  std::optional<TensorMaker> maker_;
};

TEST_F(TensorMakerTest, SlotsThatWantTheSameShareTheCopies) {
  hold(100);
  const auto first = obtain(1, operands({1, 2}, 3));
  ASSERT_EQ(first.error(), "");
  ASSERT_EQ(paths(first).size(), 8u);
  EXPECT_EQ(paths(obtain(2, operands({1, 2}, 3))), paths(first));
  // Who needs fewer gets the first of them.
  EXPECT_EQ(obtain(3, operands({1}, 1)).tensors(0).copies(0), first.tensors(0).copies(0));
}

TEST_F(TensorMakerTest, CopiesStayWhileTheirSlotMayHaveThemMapped) {
  hold(6);
  const auto held = obtain(1, operands({1}, 2));
  ASSERT_EQ(paths(held).size(), 3u);
  for (const std::uint64_t seed : {5u, 6u, 7u, 8u}) ASSERT_EQ(obtain(2, operands({seed})).error(), "");
  // All are still there: had one been evicted, its number would be another's by now.
  EXPECT_EQ(paths(obtain(1, operands({1}, 2))), paths(held));
  EXPECT_THAT(obtain(2, operands({5, 6, 7, 8})).error(), HasSubstr("are in use"))
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
  // The three that were made are not in use: four pages are free beside the two operands.
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
  EXPECT_THAT(obtain(1, operands({1, 2, 3}, 1)).error(), HasSubstr("operand 'x': "));
  wire::TensorRequests unreadable = operands({1}, 1);
  unreadable.mutable_tensors(0)->set_spec("\xFF");
  EXPECT_THAT(obtain(1, unreadable).error(), HasSubstr("cannot be read"));
}

TEST_F(TensorMakerTest, ARequestForAReferenceAloneIsAnswered) {
  hold(2);
  wire::TensorRequests requests;
  requests.set_reference(std::string(16, 'r'));
  const auto got = obtain(1, requests);
  EXPECT_EQ(got.error(), "");
  EXPECT_EQ(got.reference().path(), "");
}

}  // namespace
}  // namespace kernsweep
