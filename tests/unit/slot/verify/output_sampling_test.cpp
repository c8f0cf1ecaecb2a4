#include "worker/slot/verify/output_sampling.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <string>

namespace kernsweep {
namespace {

OutputSample of_text(const std::string& text) {
  const ks_tensor printed{text.data(), KS_U8, 1, {static_cast<std::int64_t>(text.size())}, {1}};
  return sample_of(printed, true, 2);
}

bool same(const std::string& a, const std::string& b) {
  return agree(of_text(a), of_text(b));
}

TEST(OutputSampling, PrintedNumbersAreWholeOrRealOrText) {
  EXPECT_EQ(of_text("25\n168.0 4e2").type, "whole");
  EXPECT_EQ(of_text("25 0.5").type, "real");
  EXPECT_EQ(of_text("25 primes").type, "text");
  EXPECT_EQ(of_text(" \n").type, "none");
  EXPECT_EQ(of_text("").type, "none");
}

TEST(OutputSampling, WhatIsPrintedIsComparedAsWithAReference) {
  EXPECT_TRUE(same("42\n", "42.0"));
  EXPECT_FALSE(same("42", "41"));
  EXPECT_FALSE(same("9007199254740993", "9007199254740992"));  // 2^53 + 1 and 2^53
  EXPECT_TRUE(same("3.14159", "3.1416"));                      // 3e-6, and 1e-5 is allowed
  EXPECT_FALSE(same("3.1416", "3.1417"));
  EXPECT_FALSE(same("1 2 3", "1 2"));
  EXPECT_TRUE(same("a b  \n\n", "a b"));
  EXPECT_FALSE(same("a  b", "a b"));
  EXPECT_FALSE(same(std::string("\0 \n", 3), std::string("\0\n", 2)))
      << "of what is not text each byte counts";
}

// The second view has the same elements in another layout: column by column.
TEST(OutputSampling, ElementsGoByTheShapeAndNotByTheLayout) {
  const std::array<float, 6> rows = {1, 2, 3, 4, 5, 6}, columns = {1, 4, 2, 5, 3, 6};
  const std::array<double, 6> doubles = {1, 2, 3, 4, 5, 6};
  const ks_tensor a{rows.data(), KS_F32, 2, {2, 3}, {3, 1}}, b{columns.data(), KS_F32, 2, {2, 3}, {1, 2}},
      c{doubles.data(), KS_F64, 2, {2, 3}, {3, 1}}, wrong{rows.data(), KS_F32, 2, {2, 3}, {1, 2}};
  EXPECT_EQ(text_of(sample_of(a, false, 2)), text_of(sample_of(b, false, 2)));
  EXPECT_TRUE(agree(sample_of(a, false, 2), sample_of(c, false, 2)));
  EXPECT_FALSE(agree(sample_of(a, false, 2), sample_of(wrong, false, 2)));
}

// (values, indices), each kept as 64 bits.
TEST(OutputSampling, WholeNumbersBesideFloatsAreComparedExactly) {
  const std::array<ks_part, 2> parts = {{{2, KS_F32, 0, 1}, {2, KS_S64, 0, 2}}};
  const auto sample = [&](double value, std::int64_t index) {
    const std::array<std::int64_t, 4> bits = {std::bit_cast<std::int64_t>(2e8),
                                              std::bit_cast<std::int64_t>(value), 17, index};
    return sample_of({bits.data(), KS_S64, 1, {4}, {1}}, false, 2, parts);
  };
  EXPECT_TRUE(agree(sample(3e8, 4), sample(3e8 + 100, 4)));
  EXPECT_FALSE(agree(sample(3e8, 4), sample(4e8, 4)));
  EXPECT_FALSE(agree(sample(3e8, 4), sample(3e8, 5)));
}

TEST(OutputSampling, WholeNumbersOfTwoTypesAreComparedExactly) {
  const std::array<std::int64_t, 2> a = {200'000'001, 7};
  const std::array<std::int32_t, 2> same_b = {200'000'001, 7}, other_b = {200'000'001, 8};
  const auto of_a = sample_of({a.data(), KS_S64, 1, {2}, {1}}, false, 2);
  EXPECT_TRUE(agree(of_a, sample_of({same_b.data(), KS_S32, 1, {2}, {1}}, false, 2)));
  EXPECT_FALSE(agree(of_a, sample_of({other_b.data(), KS_S32, 1, {2}, {1}}, false, 2)));
}

TEST(OutputSampling, WholeNumbersAreComparedExactlyInAnyLayout) {
  const std::array<std::int64_t, 2> a = {9007199254740992, 1}, b = {9007199254740993, 1};
  const std::array<std::int64_t, 4> apart = {9007199254740992, 0, 1, 0};
  const auto sample = [](const std::int64_t* data, std::int64_t stride) {
    return sample_of({data, KS_S64, 1, {2}, {stride}}, false, 2);
  };
  EXPECT_FALSE(agree(sample(a.data(), 1), sample(b.data(), 1)));
  EXPECT_TRUE(agree(sample(a.data(), 1), sample(apart.data(), 2)));
}

}  // namespace
}  // namespace kernsweep
