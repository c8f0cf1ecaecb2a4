#include "worker/slot/measure/rotation.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace kernsweep {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// 3 x 4 MiB have to go by between two uses: three others of 4 MiB, or 15 of 0.8 MiB.
TEST(CopiesNeeded, AreTheOthersThatCoverTheCacheAndTheOneItself) {
  EXPECT_EQ(copies_needed(4 * kMiB, 4 * kMiB), 4u);
  EXPECT_EQ(copies_needed(4 * kMiB + 1, 4 * kMiB), 4u);
  EXPECT_EQ(copies_needed(4 * kMiB - 1, 4 * kMiB), 5u);
  EXPECT_EQ(copies_needed(12 * kMiB / 15 + 1, 4 * kMiB), 16u) << "the most";
}

TEST(CopiesNeeded, TwoHoweverLargeTheOperands) {
  EXPECT_EQ(copies_needed(12 * kMiB, 4 * kMiB), 2u);
  EXPECT_EQ(copies_needed(std::uint64_t{1} << 60, 4 * kMiB), 2u);
}

TEST(CopiesNeeded, NoneWhereTheyWouldBeTooManyOrNothingIsKnown) {
  EXPECT_EQ(copies_needed(12 * kMiB / 16, 4 * kMiB), 0u);
  EXPECT_EQ(copies_needed(16, 4 * kMiB), 0u);
  EXPECT_EQ(copies_needed(0, 4 * kMiB), 0u);
  EXPECT_EQ(copies_needed(4 * kMiB, 0), 0u);
}

// States are the operands' own addresses; the variant remembers what was run and released.
std::vector<const void*>& ran() {
  static std::vector<const void*> all;
  return all;
}
std::multiset<const void*>& living() {
  static std::multiset<const void*> all;
  return all;
}

class RotationTest : public testing::Test {
 protected:
  RotationTest() {
    ran().clear();
    living().clear();
    variant_.run = [](void* state) {
      ran().push_back(state);
      return ran().size() == fails_at ? KS_FAILED : KS_OK;
    };
    variant_.release = [](void* state) { living().erase(state); };
    fails_at = 0;
  }
  ~RotationTest() override { EXPECT_TRUE(living().empty()) << "prepared and not released"; }
  // With a copy at each of the first values.
  bool make(std::size_t copies) {
    std::vector<std::vector<ks_tensor>> all;
    for (std::size_t i = 0; i < copies; ++i) all.push_back({{&values_[i], KS_F32, 0, {}, {}}});
    return rotation_.make(variant_, all, [&](const std::vector<ks_tensor>& operands, void*& state) {
      if (++prepared_ == refuses_at_) return false;
      state = const_cast<void*>(operands[0].data);
      living().insert(state);
      return true;
    });
  }

  static inline std::size_t fails_at = 0;
  const float values_[4] = {1, 2, 3, 4};
  ks_variant variant_{};
  std::size_t prepared_ = 0, refuses_at_ = 0;
  Rotation rotation_;
};

TEST_F(RotationTest, HasAStateForEachCopyThatRanOnce) {
  ASSERT_TRUE(make(3));
  EXPECT_EQ(rotation_.states().size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rotation_.states()[i], &values_[i]) << "in order";
  EXPECT_EQ(ran(), (std::vector<const void*>{&values_[0], &values_[1], &values_[2]}));
  ASSERT_TRUE(make(2));
  EXPECT_EQ(living().size(), 2u) << "those before are released";
  rotation_.clear();
}

TEST_F(RotationTest, OfNoCopiesHasNoStates) {
  ASSERT_TRUE(make(0));
  EXPECT_TRUE(rotation_.states().empty());
}

TEST_F(RotationTest, IsGivenUpWhenAVariantDoesNotWantToPrepareAgain) {
  refuses_at_ = 2;
  EXPECT_FALSE(make(3));
  EXPECT_TRUE(rotation_.states().empty());
  EXPECT_TRUE(living().empty());
}

TEST_F(RotationTest, IsGivenUpWhenACopyFailsToRun) {
  fails_at = 2;
  EXPECT_FALSE(make(3));
  EXPECT_TRUE(rotation_.states().empty());
  EXPECT_TRUE(living().empty());
}

}  // namespace
}  // namespace kernsweep
