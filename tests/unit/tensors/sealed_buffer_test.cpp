#include "tensors/sealed_buffer.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "tensors/mapping.hpp"
#include "tensors/numa.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/tensors/child.hpp"

namespace kernsweep {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing_tensors::Child;

SealedBuffer sealed_with(std::string_view text) {
  auto buffer = SealedBuffer::create(text.size());
  KS_ASSERT(buffer.has_value());
  std::copy(text.begin(), text.end(), reinterpret_cast<char*>(buffer->writable().data()));
  KS_ASSERT(buffer->seal().has_value());
  return *std::move(buffer);
}

std::string text_in(const TensorMapping& mapping) {
  return {reinterpret_cast<const char*>(mapping.bytes().data()), mapping.bytes().size()};
}

TEST(SealedBufferTest, IsReadThroughItsPath) {
  const SealedBuffer buffer = sealed_with("the content");
  const auto mapping = TensorMapping::open(buffer.path(), 11);
  ASSERT_TRUE(mapping) << mapping.error().message;
  EXPECT_EQ(text_in(*mapping), "the content");
}

TEST(SealedBufferTest, BeginsAsZerosWithAllItsPagesAllocated) {
  constexpr std::uint64_t kBytes = 3 << 20;
  auto buffer = SealedBuffer::create(kBytes);
  ASSERT_TRUE(buffer);
  struct stat status {};
  ASSERT_EQ(stat(buffer->path().c_str(), &status), 0);
  EXPECT_GE(status.st_blocks * 512, static_cast<std::int64_t>(kBytes));
  for (const std::byte byte : buffer->writable()) ASSERT_EQ(byte, std::byte{0});
}

TEST(SealedBufferTest, CannotBeWrittenOrResizedOnceSealed) {
  const SealedBuffer buffer = sealed_with(std::string(8192, 'x'));
  EXPECT_TRUE(buffer.writable().empty());
  const int writer = open(buffer.path().c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_GE(writer, 0);  // opening is allowed, using it is not
  EXPECT_EQ(write(writer, "y", 1), -1);
  EXPECT_EQ(ftruncate(writer, 4096), -1);
  EXPECT_EQ(ftruncate(writer, 16384), -1);
  EXPECT_EQ(mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, writer, 0), MAP_FAILED);
  close(writer);
}

TEST(SealedBufferDeathTest, WritingThroughAMappingKillsTheWriter) {
  const SealedBuffer buffer = sealed_with("read only");
  const auto mapping = TensorMapping::open(buffer.path(), 9);
  ASSERT_TRUE(mapping);
  auto* const target = const_cast<std::byte*>(mapping->bytes().data());
  EXPECT_DEATH(*const_cast<volatile std::byte*>(target) = std::byte{1}, "");
  EXPECT_EQ(text_in(*mapping), "read only");
}

TEST(SealedBufferTest, MappingOutlivesTheBuffer) {
  std::optional<SealedBuffer> buffer = sealed_with("still here");
  const std::string path = buffer->path();
  const auto mapping = TensorMapping::open(path, 10);
  ASSERT_TRUE(mapping);
  buffer.reset();
  EXPECT_EQ(text_in(*mapping), "still here");
  const auto late = TensorMapping::open(path, 10);
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message, IsGolden());
}

TEST(SealedBufferTest, MappingOutlivesAKilledOwner) {
  const std::string content(1 << 20, 'k');
  Child owner([&] {
    static std::optional<SealedBuffer> buffer;
    buffer = sealed_with(content);
    return buffer->path();
  });
  const auto mapping = TensorMapping::open(owner.said(), content.size());
  ASSERT_TRUE(mapping) << mapping.error().message;
  owner.kill_it();
  EXPECT_EQ(text_in(*mapping), content);
  EXPECT_FALSE(TensorMapping::open(owner.said(), content.size()));
}

TEST(SealedBufferTest, MappingsAndBuffersMove) {
  SealedBuffer first = sealed_with("first");
  SealedBuffer second = sealed_with("second");
  auto mapping = TensorMapping::open(first.path(), 5);
  auto other = TensorMapping::open(second.path(), 6);
  ASSERT_TRUE(mapping && other);
  *mapping = *std::move(other);
  EXPECT_EQ(text_in(*mapping), "second");
  first = std::move(second);
  EXPECT_EQ(first.bytes(), 6u);
  EXPECT_TRUE(TensorMapping::open(first.path(), 6));
}

TEST(SealedBufferTest, EmptyOnesWork) {
  const SealedBuffer buffer = sealed_with("");
  const auto mapping = TensorMapping::open(buffer.path(), 0);
  ASSERT_TRUE(mapping) << mapping.error().message;
  EXPECT_TRUE(mapping->bytes().empty());
}

TEST(SealedBufferTest, WhatIsNotSealedIsNotMapped) {
  auto buffer = SealedBuffer::create(100);
  ASSERT_TRUE(buffer);
  EXPECT_THAT(TensorMapping::open(buffer->path(), 100).error().message, IsGolden());
  EXPECT_THAT(SealedBuffer::adopt(buffer->path(), 100).error().message, IsGolden());

  const std::string file = testing::TempDir() + "not_a_memfd_" + std::to_string(getpid());
  std::ofstream(file) << std::string(100, 'x');
  // Most file systems know no seals; a tmpfs does.
  EXPECT_THAT(TensorMapping::open(file, 100).error().message,
              AnyOf(HasSubstr("cannot be sealed"), HasSubstr("is not sealed")));
  unlink(file.c_str());
  EXPECT_THAT(TensorMapping::open(file, 100).error().message, IsGolden());
}

TEST(SealedBufferTest, AnotherSizeThanAnnouncedIsRefused) {
  const SealedBuffer buffer = sealed_with("12345");
  EXPECT_THAT(TensorMapping::open(buffer.path(), 6).error().message, IsGolden());
  EXPECT_THAT(TensorMapping::open(buffer.path(), 4).error().message, IsGolden());
}

TEST(SealedBufferTest, MoreThanThereIsMemoryIsAnErrorAndNotADeath) {
  for (const std::uint64_t bytes : {std::uint64_t{1} << 46, std::numeric_limits<std::uint64_t>::max()}) {
    const auto buffer = SealedBuffer::create(bytes);
    ASSERT_FALSE(buffer);
    EXPECT_THAT(buffer.error().message, HasSubstr(std::to_string(bytes)));
  }
}

TEST(SealedBufferTest, LiesOnTheNodeThatIsAskedFor) {
  for (int node = 0; node <= highest_node(); ++node) {
    auto buffer = SealedBuffer::create(1 << 20, node);
    ASSERT_TRUE(buffer) << buffer.error().message;
    buffer->writable()[0] = std::byte{1};
    const auto seen = node_of(buffer->writable().data());
    EXPECT_EQ(seen.value_or(node), node);  // some sandboxes forbid the question
  }
  const int beyond = highest_node() + 1;
  EXPECT_THAT(SealedBuffer::create(4096, beyond).error().message, IsGolden());
  EXPECT_FALSE(SealedBuffer::create(4096, -1));
}

}  // namespace
}  // namespace kernsweep
