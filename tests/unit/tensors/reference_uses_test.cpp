#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "shared/wire/slot.pb.h"
#include "tensors/tensor_answers.hpp"

namespace kernsweep {
namespace {

const Digest kFunction = digest_of("a function"), kOther = digest_of("another"), kOperand = digest_of("a");

wire::TensorRequests asked(const std::vector<std::pair<std::string, std::string>>& values) {
  wire::TensorRequests requests;
  for (const auto& [name, text] : values) {
    auto& value = *requests.add_reference_values();
    value.set_name(name);
    value.set_text(name + "=" + text);
  }
  return requests;
}

Digest identity(const ReferenceUses& uses, const std::vector<std::pair<std::string, std::string>>& values,
                const std::vector<Digest>& operands = {}) {
  return reference_identity(kFunction, asked(values), uses.of(kFunction), operands);
}

wire::ReferenceUse names(const std::vector<std::string>& names) {
  wire::ReferenceUse use;
  use.mutable_names()->Add(names.begin(), names.end());
  return use;
}

TEST(ReferenceUses, EachValueCountsUntilItIsKnownWhichDo) {
  ReferenceUses uses;
  EXPECT_EQ(uses.of(kFunction), nullptr);
  EXPECT_NE(identity(uses, {{"m", "1"}, {"tile", "8"}}), identity(uses, {{"m", "1"}, {"tile", "16"}}));
  uses.add(kOther, names({"m"}));
  EXPECT_EQ(uses.of(kFunction), nullptr);
  uses.add(kFunction, names({"m"}));
  EXPECT_EQ(identity(uses, {{"m", "1"}, {"tile", "8"}}), identity(uses, {{"m", "1"}, {"tile", "16"}}));
  EXPECT_NE(identity(uses, {{"m", "1"}}), identity(uses, {{"m", "2"}}));
  EXPECT_NE(identity(uses, {{"m", "1"}}), identity(uses, {{"tile", "8"}}));
  EXPECT_NE(identity(uses, {{"m", "1"}}, {kOperand}), identity(uses, {{"m", "1"}}));
}

TEST(ReferenceUses, WhatIsReportedLaterCountsToo) {
  ReferenceUses uses;
  uses.add(kFunction, names({"m"}));
  const Digest before = identity(uses, {{"m", "1"}, {"k", "2"}});
  uses.add(kFunction, names({"k"}));
  EXPECT_NE(before, identity(uses, {{"m", "1"}, {"k", "2"}}));
  EXPECT_NE(identity(uses, {{"m", "1"}, {"k", "2"}}), identity(uses, {{"m", "1"}, {"k", "3"}}));
  EXPECT_NE(identity(uses, {{"m", "1"}, {"k", "2"}}), identity(uses, {{"m", "2"}, {"k", "2"}}));
}

TEST(ReferenceUses, AFunctionMayTakeNoParameter) {
  ReferenceUses uses;
  uses.add(kFunction, {});
  ASSERT_NE(uses.of(kFunction), nullptr);
  EXPECT_EQ(identity(uses, {{"m", "1"}}), identity(uses, {{"m", "2"}}));
}

}  // namespace
}  // namespace kernsweep
