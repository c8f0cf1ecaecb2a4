#include "worker/slot/job/operands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tensors/sealed_buffer.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

// Two operands a[4, 3] f32 and b[3] f32, unless `count`, `rank` or `dtype` say otherwise.
struct Shape {
  static inline std::size_t count = 2;
  static inline std::int32_t rank = 2;
  static inline ks_dtype dtype = KS_F32;
  static inline ks_status status = KS_OK;
};

ks_status inputs_of(const ks_params*, ks_input* inputs, std::size_t capacity, std::size_t* count,
                    ks_why why) {
  if (Shape::status != KS_OK) {
    std::strncpy(why.text, "m must be positive", why.size);
    return Shape::status;
  }
  KS_ASSERT(capacity >= 2);
  std::strcpy(inputs[0].name, "a");
  inputs[0].dtype = Shape::dtype;
  inputs[0].rank = Shape::rank;
  inputs[0].shape[0] = 4;
  inputs[0].shape[1] = 3;
  inputs[0].distribution = KS_UNIFORM;
  inputs[0].b = 1;
  inputs[1] = inputs[0];
  std::strcpy(inputs[1].name, "b");
  inputs[1].rank = 1;
  inputs[1].shape[0] = 3;
  *count = Shape::count;
  return KS_OK;
}

class OperandsTest : public testing::Test {
 protected:
  void SetUp() override {
    Shape::count = 2;
    Shape::rank = 2;
    Shape::dtype = KS_F32;
    Shape::status = KS_OK;
    family_.inputs = inputs_of;
  }
  // The requests with this seed.
  wire::TensorRequests asked(std::uint64_t seed,
                             std::vector<std::pair<std::string, std::string>> choices = {}) {
    wire::TensorRequests requests;
    const Status status = operands_.request(family_, {0, nullptr}, seed, choices, requests);
    EXPECT_TRUE(status) << status.error().message;
    return requests;
  }
  std::string refusal(std::vector<std::pair<std::string, std::string>> choices = {}) {
    wire::TensorRequests requests;
    const Status status = operands_.request(family_, {0, nullptr}, 1, choices, requests);
    EXPECT_FALSE(status);
    return status ? "" : status.error().message;
  }
  static wire::TensorSpec spec(const wire::TensorRequests& requests, int i) {
    wire::TensorSpec out;
    KS_ASSERT(out.ParseFromString(requests.tensors(i).spec()));
    return out;
  }
  // Answers with buffers whose bytes count up from `first`.
  wire::TensorReplies answer(const wire::TensorRequests& requests, std::vector<std::size_t> bytes) {
    wire::TensorReplies replies;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      auto buffer = SealedBuffer::create(bytes[i]);
      KS_ASSERT(buffer.has_value());
      if (bytes[i] > 0) std::memset(buffer->writable().data(), static_cast<int>(i + 1), bytes[i]);
      KS_ASSERT(buffer->seal().has_value());
      wire::TensorPlace& place = *replies.add_tensors();
      place.set_path(buffer->path());
      place.set_bytes(bytes[i]);
      place.set_identity(requests.tensors(static_cast<int>(i)).spec());
      buffers_.push_back(*std::move(buffer));
    }
    return replies;
  }
  void add_copy(wire::TensorReplies& replies, int tensor, std::size_t bytes, int content) {
    auto buffer = SealedBuffer::create(bytes);
    KS_ASSERT(buffer.has_value());
    std::memset(buffer->writable().data(), content, bytes);
    KS_ASSERT(buffer->seal().has_value());
    replies.mutable_tensors(tensor)->add_copies(buffer->path());
    buffers_.push_back(*std::move(buffer));
  }
  // For a and b; copies differ in their bytes: 100 and 101 in the first, 110 and 111 in the next.
  wire::TensorReplies answer_copies(const wire::TensorRequests& requests, int copies) {
    wire::TensorReplies replies = answer(requests, {48, 12});
    for (int copy = 0; copy < copies; ++copy) {
      add_copy(replies, 0, 48, 100 + 10 * copy);
      add_copy(replies, 1, 12, 101 + 10 * copy);
    }
    return replies;
  }
  static std::size_t first_byte(const ks_tensor& tensor) {
    return *static_cast<const unsigned char*>(tensor.data);
  }

  ks_family family_{};
  Operands operands_;
  std::vector<SealedBuffer> buffers_;
};

TEST_F(OperandsTest, AreAskedForAsTheFamilyDescribesThem) {
  const auto requests = asked(7);
  ASSERT_EQ(requests.tensors_size(), 2);
  EXPECT_EQ(requests.tensors(0).name(), "a");
  const wire::TensorSpec a = spec(requests, 0);
  EXPECT_EQ(a.dtype(), static_cast<std::uint32_t>(KS_F32));
  ASSERT_EQ(a.shape_size(), 2);
  EXPECT_EQ(a.shape(0), 4);
  EXPECT_EQ(a.shape(1), 3);
  EXPECT_EQ(a.b(), 1);
  EXPECT_EQ(a.density(), 1) << "0 means all";
  EXPECT_EQ(spec(requests, 1).shape_size(), 1);
}

TEST_F(OperandsTest, SeedsComeFromTheSweepAndTheName) {
  const auto first = asked(7);
  const auto again = asked(7);
  const auto other = asked(8);
  EXPECT_EQ(spec(first, 0).seed(), spec(again, 0).seed());
  EXPECT_NE(spec(first, 0).seed(), spec(first, 1).seed());
  EXPECT_NE(spec(first, 0).seed(), spec(other, 0).seed());
  EXPECT_NE(spec(first, 1).seed(), spec(other, 1).seed());
}

TEST_F(OperandsTest, AChoiceReplacesTheDistributionOfItsOperandOnly) {
  const auto requests =
      asked(7, {{"b", "normal(0, 0.5) density 0.25"}, {"c", "nonsense of another kernel"}});
  EXPECT_EQ(spec(requests, 0).distribution(), static_cast<std::uint32_t>(KS_UNIFORM));
  EXPECT_EQ(spec(requests, 1).distribution(), static_cast<std::uint32_t>(KS_NORMAL));
  EXPECT_EQ(spec(requests, 1).density(), 0.25);
}

TEST_F(OperandsTest, AWrongChoiceNamesItsOperand) {
  EXPECT_THAT(refusal({{"b", "nonsense"}}), IsGolden());
}

TEST_F(OperandsTest, WhatAPackDescribesWronglyIsRefused) {
  Shape::rank = KS_RANK_MAX + 1;
  EXPECT_THAT(refusal(), IsGolden());
  Shape::rank = -1;
  EXPECT_THAT(refusal(), IsGolden());
  Shape::rank = 2;
  Shape::dtype = static_cast<ks_dtype>(11);
  EXPECT_THAT(refusal(), IsGolden());
  Shape::dtype = KS_F32;
  Shape::count = KS_INPUTS_MAX + 1;
  EXPECT_THAT(refusal(), IsGolden());
  Shape::status = KS_BAD_PARAMETER;
  EXPECT_EQ(refusal(), "m must be positive");
}

TEST_F(OperandsTest, AreMappedDenseAndRowMajor) {
  const auto requests = asked(7);
  ASSERT_TRUE(operands_.map(requests, answer(requests, {48, 12})));
  ASSERT_EQ(operands_.tensors().size(), 2u);
  const ks_tensor& a = operands_.tensors()[0];
  EXPECT_EQ(a.rank, 2);
  EXPECT_EQ(a.shape[0], 4);
  EXPECT_EQ(a.strides[0], 3);
  EXPECT_EQ(a.strides[1], 1);
  EXPECT_EQ(static_cast<const unsigned char*>(a.data)[47], 1);
  EXPECT_EQ(static_cast<const unsigned char*>(operands_.tensors()[1].data)[11], 2);
}

TEST_F(OperandsTest, WhatIsTheSameStaysMapped) {
  const auto requests = asked(7);
  ASSERT_TRUE(operands_.map(requests, answer(requests, {48, 12})));
  const void* const before = operands_.tensors()[0].data;
  const auto again = asked(7);
  auto replies = answer(again, {48, 12});
  replies.mutable_tensors(0)->set_path("/proc/0/fd/0");  // would fail if it were opened
  ASSERT_TRUE(operands_.map(again, replies));
  EXPECT_EQ(operands_.tensors()[0].data, before);
}

TEST_F(OperandsTest, OneTensorMayBeTwoOperands) {
  const auto requests = asked(7);
  Shape::rank = 1;
  auto replies = answer(requests, {48, 12});
  *replies.mutable_tensors(0) = replies.tensors(1);
  const auto same = [&] {
    wire::TensorRequests out;
    family_.inputs = [](const ks_params*, ks_input* inputs, std::size_t, std::size_t* count, ks_why) {
      for (int i = 0; i < 2; ++i) {
        inputs[i].dtype = KS_F32;
        inputs[i].rank = 1;
        inputs[i].shape[0] = 3;
        inputs[i].name[0] = static_cast<char>('a' + i);
      }
      *count = 2;
      return KS_OK;
    };
    KS_ASSERT(operands_.request(family_, {0, nullptr}, 1, {}, out).has_value());
    return out;
  };
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(operands_.map(same(), replies));
    for (const ks_tensor& tensor : operands_.tensors()) {
      EXPECT_EQ(static_cast<const unsigned char*>(tensor.data)[11], 2);
    }
  }
}

// a of 48 bytes and b of 12; a choice makes no difference, equal descriptions count once.
TEST_F(OperandsTest, FootprintIsTheBytesOfDifferentTensors) {
  EXPECT_EQ(operands_.footprint(asked(7)), 60u);
  EXPECT_EQ(operands_.footprint(asked(7, {{"a", "normal(0, 1)"}})), 60u);
  auto requests = asked(7);
  requests.mutable_tensors(1)->set_spec(requests.tensors(0).spec());
  EXPECT_EQ(operands_.footprint(requests), 48u);
  Shape::count = 0;
  EXPECT_EQ(operands_.footprint(asked(7)), 0u);
}

TEST_F(OperandsTest, CopiesAreMappedInThePlaceOfTheirOperand) {
  auto requests = asked(7);
  operands_.request_copies(2, requests);
  EXPECT_EQ(requests.tensors(0).copies(), 2u);
  EXPECT_EQ(requests.tensors(1).copies(), 2u);
  ASSERT_TRUE(operands_.map(requests, answer_copies(requests, 2)));
  ASSERT_EQ(operands_.copies().size(), 2u);
  for (std::size_t copy = 0; copy < 2; ++copy) {
    const auto& operands = operands_.copies()[copy];
    ASSERT_EQ(operands.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(first_byte(operands[i]), 100 + 10 * copy + i);
      EXPECT_EQ(operands[i].rank, operands_.tensors()[i].rank);
      EXPECT_EQ(operands[i].shape[0], operands_.tensors()[i].shape[0]);
      EXPECT_EQ(operands[i].strides[0], operands_.tensors()[i].strides[0]);
    }
  }
  EXPECT_EQ(first_byte(operands_.tensors()[0]), 1);
}

TEST_F(OperandsTest, CopiesThatAreTheSameStayMappedAndOthersGo) {
  auto requests = asked(7);
  operands_.request_copies(2, requests);
  ASSERT_TRUE(operands_.map(requests, answer_copies(requests, 2)));
  const void* const before = operands_.copies()[1][0].data;
  auto replies = answer_copies(requests, 2);
  replies.mutable_tensors(0)->set_copies(1, "/proc/0/fd/0");  // would fail if it were opened
  ASSERT_TRUE(operands_.map(requests, replies));
  ASSERT_EQ(operands_.copies().size(), 2u);
  EXPECT_EQ(operands_.copies()[1][0].data, before);
  const auto without = asked(7);
  ASSERT_TRUE(operands_.map(without, answer(without, {48, 12})));
  EXPECT_TRUE(operands_.copies().empty());
  ASSERT_TRUE(operands_.map(requests, replies));
  EXPECT_TRUE(operands_.copies().empty()) << "it was unmapped, and cannot be opened any more";
}

TEST_F(OperandsTest, MissingCopiesAreNoErrorButThenThereAreNone) {
  auto requests = asked(7);
  operands_.request_copies(2, requests);
  auto fewer = answer_copies(requests, 2);
  fewer.mutable_tensors(1)->mutable_copies()->RemoveLast();
  auto gone = answer_copies(requests, 2);
  gone.mutable_tensors(1)->set_copies(1, "/proc/self/fd/9999");
  auto small = answer_copies(requests, 2);
  small.mutable_tensors(0)->set_copies(0, small.tensors(1).copies(0));  // 12 bytes and not 48
  for (const auto& replies : {answer(requests, {48, 12}), fewer, gone, small}) {
    const Status mapped = operands_.map(requests, replies);
    ASSERT_TRUE(mapped) << mapped.error().message;
    EXPECT_EQ(operands_.tensors().size(), 2u);
    EXPECT_TRUE(operands_.copies().empty());
  }
}

TEST_F(OperandsTest, CopiesThatNobodyAskedForAreLeftAlone) {
  const auto requests = asked(7);
  ASSERT_TRUE(operands_.map(requests, answer_copies(requests, 2)));
  EXPECT_TRUE(operands_.copies().empty());
}

TEST_F(OperandsTest, AnOperandWithoutElementsHasNoCopies) {
  family_.inputs = [](const ks_params*, ks_input* inputs, std::size_t, std::size_t* count, ks_why) {
    for (int i = 0; i < 2; ++i) {
      inputs[i].dtype = KS_F32;
      inputs[i].rank = 1;
      inputs[i].shape[0] = 3 * i;
      inputs[i].name[0] = static_cast<char>('a' + i);
    }
    *count = 2;
    return KS_OK;
  };
  auto requests = asked(7);
  EXPECT_EQ(operands_.footprint(requests), 12u);
  operands_.request_copies(1, requests);
  EXPECT_EQ(requests.tensors(0).copies(), 0u);
  auto replies = answer(requests, {0, 12});
  add_copy(replies, 1, 12, 100);
  ASSERT_TRUE(operands_.map(requests, replies));
  ASSERT_EQ(operands_.copies().size(), 1u);
  EXPECT_EQ(first_byte(operands_.copies()[0][1]), 100);
}

// The kernel reads as many bytes as the shape says.
TEST_F(OperandsTest, AnAnswerOfAnotherSizeOrNumberIsRefused) {
  const auto requests = asked(7);
  const auto small = operands_.map(requests, answer(requests, {48, 8}));
  ASSERT_FALSE(small);
  EXPECT_THAT(small.error().message, IsGolden());
  const auto fewer = operands_.map(requests, answer(requests, {48}));
  ASSERT_FALSE(fewer);
  EXPECT_THAT(fewer.error().message, IsGolden());
  auto gone = answer(requests, {48, 12});
  gone.mutable_tensors(1)->set_path("/proc/self/fd/9999");
  EXPECT_FALSE(operands_.map(requests, gone));
}

TEST_F(OperandsTest, APointWithoutOperandsDoesNotGetThoseOfTheOneBefore) {
  const auto requests = asked(7);
  ASSERT_TRUE(operands_.map(requests, answer(requests, {48, 12})));
  Shape::count = 0;
  EXPECT_EQ(asked(7).tensors_size(), 0);
  EXPECT_TRUE(operands_.tensors().empty());
}

TEST_F(OperandsTest, AFamilyWithoutInputsHasNone) {
  family_.inputs = nullptr;
  EXPECT_EQ(asked(7).tensors_size(), 0);
}

}  // namespace
}  // namespace kernsweep
