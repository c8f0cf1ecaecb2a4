// The content of a spool is sent in messages within the size limit.
#include "worker/outcome_parts.hpp"

#include <gtest/gtest.h>

namespace kernsweep::worker {
namespace {

wire::Outcomes outcomes_of(std::initializer_list<std::size_t> sizes) {
  wire::Outcomes all;
  all.add_software()->set_version("1");
  for (const std::size_t size : sizes) {
    wire::Outcome& outcome = *all.add_outcomes();
    outcome.set_busy_ns(static_cast<std::int64_t>(all.outcomes_size()));
    outcome.set_body(std::string(size, 'x'));
  }
  return all;
}

TEST(OutcomeParts, AreOneWhereAllFits) {
  const auto parts = in_parts(outcomes_of({100, 100}), 1000);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].outcomes_size(), 2);
  EXPECT_EQ(parts[0].software_size(), 1);
}

TEST(OutcomeParts, HaveEachOutcomeOnceInItsOrderAndFit) {
  const auto parts = in_parts(outcomes_of({400, 400, 400, 5000, 10, 10}), 1000);
  EXPECT_GT(parts.size(), 3U);
  std::int64_t next = 1;
  for (const wire::Outcomes& part : parts) {
    EXPECT_TRUE(part.ByteSizeLong() <= 1000 || part.outcomes_size() == 1);
    for (const wire::Outcome& outcome : part.outcomes()) EXPECT_EQ(outcome.busy_ns(), next++);
  }
  EXPECT_EQ(next, 7);
  EXPECT_EQ(parts[0].software_size(), 1);
}

TEST(OutcomeParts, OfNothingAreOneOfNothing) {
  EXPECT_EQ(in_parts({}, 1000).size(), 1U);
}

}  // namespace
}  // namespace kernsweep::worker
