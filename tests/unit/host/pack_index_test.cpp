#include "worker/host/pack_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "shared/base/installation.hpp"
#include "tests/golden_text/places.hpp"

namespace kernsweep {
namespace {

const std::string kPacks = build_folder() + "/lib/kernsweep/packs";

TEST(PackIndex, EachInstalledPackHasOne) {
  const auto packs = pack_files({kPacks});
  ASSERT_FALSE(packs.empty());
  for (const std::string& pack : packs) {
    const auto families = indexed_families(pack);
    ASSERT_TRUE(families) << pack;
    EXPECT_FALSE(families->empty()) << pack;
  }
}

TEST(PackIndex, NamesTheFamiliesOfThePack) {
  EXPECT_THAT(indexed_families(kPacks + "/noop.so"), testing::Optional(testing::ElementsAre("noop")));
  EXPECT_TRUE(may_have_family(kPacks + "/memory_bound.so", "softmax"));
  EXPECT_FALSE(may_have_family(kPacks + "/memory_bound.so", "gemm"));
  EXPECT_FALSE(may_have_family(kPacks + "/noop.so", "noo"));
}

TEST(PackIndex, AFileWithoutOneMayHaveAnyFamily) {
  EXPECT_EQ(indexed_families("/proc/self/exe"), std::nullopt);
  EXPECT_TRUE(may_have_family("/proc/self/exe", "gemm"));
  EXPECT_TRUE(may_have_family("/nowhere.so", "gemm")) << "opening it says what is wrong";
}

}  // namespace
}  // namespace kernsweep
