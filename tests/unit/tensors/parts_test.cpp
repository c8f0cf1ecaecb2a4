#include "tensors/parallel_for.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace kernsweep {
namespace {

TEST(InParts, EachIsDoneOnceWhenItReturns) {
  for (const std::size_t parts : {1u, 2u, 7u}) {
    std::vector<std::atomic<int>> done(parts);
    in_parts(parts, [&](std::uint64_t part) { ++done.at(part); });
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
}

TEST(InPartsDeathTest, NoPartsIsABug) {
  EXPECT_DEATH(in_parts(0, [](std::uint64_t) {}), "bug");
}

}  // namespace
}  // namespace kernsweep
