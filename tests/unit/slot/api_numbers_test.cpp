// The pack interface is C and may include nothing; the tensors must not know packs. Their numbers are equal
// all the same, and this file is where that is held.
#include <gtest/gtest.h>

#include "kernels/api/pack.h"
#include "shared/base/dtype.hpp"
#include "tensors/spec.hpp"

namespace kernsweep {
namespace {

constexpr bool same(ks_dtype ours, Dtype theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

TEST(ApiNumbers, DtypesAreThoseOfTheTensors) {
  EXPECT_TRUE(same(KS_F64, Dtype::f64));
  EXPECT_TRUE(same(KS_F32, Dtype::f32));
  EXPECT_TRUE(same(KS_BF16, Dtype::bf16));
  EXPECT_TRUE(same(KS_F16, Dtype::f16));
  EXPECT_TRUE(same(KS_S8, Dtype::s8));
  EXPECT_TRUE(same(KS_U8, Dtype::u8));
  EXPECT_TRUE(same(KS_S32, Dtype::s32));
  EXPECT_TRUE(same(KS_S64, Dtype::s64));
  EXPECT_TRUE(same(KS_F8E4M3, Dtype::f8e4m3));
  EXPECT_TRUE(same(KS_F8E5M2, Dtype::f8e5m2));
  EXPECT_EQ(std::size(kAllDtypes), static_cast<std::size_t>(KS_F8E5M2))
      << "a new dtype belongs in both, and here";
}

TEST(ApiNumbers, DistributionsAreThoseOfTheTensors) {
  EXPECT_EQ(distribution_numbered(KS_UNIFORM), Distribution::uniform);
  EXPECT_EQ(distribution_numbered(KS_NORMAL), Distribution::normal);
  EXPECT_EQ(distribution_numbered(KS_KAIMING), Distribution::kaiming);
  EXPECT_EQ(distribution_numbered(KS_XAVIER), Distribution::xavier);
  EXPECT_EQ(distribution_numbered(KS_INTEGERS), Distribution::integers);
  EXPECT_EQ(distribution_numbered(KS_OUTLIERS), Distribution::outliers);
  EXPECT_FALSE(distribution_numbered(KS_UNIFORM - 1));
  EXPECT_FALSE(distribution_numbered(KS_OUTLIERS + 1)) << "a new distribution belongs in both, and here";
}

TEST(ApiNumbers, TensorsHoldTheRanksThatPacksMayAskFor) {
  EXPECT_TRUE(bytes_of(Dtype::u8, std::vector<std::int64_t>(KS_RANK_MAX, 2)));
  EXPECT_FALSE(bytes_of(Dtype::u8, std::vector<std::int64_t>(KS_RANK_MAX + 1, 2)));
}

}  // namespace
}  // namespace kernsweep
