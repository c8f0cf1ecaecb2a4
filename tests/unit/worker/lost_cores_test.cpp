#include "worker/lost_cores.hpp"

#include <gtest/gtest.h>

#include "shared/wire/convert.hpp"

namespace kernsweep {
namespace {

// Whose places are not the system's numbers.
Topology host() {
  Topology topology;
  for (const std::uint32_t cpu : {4U, 6U, 7U, 9U}) {
    HostCore core;
    core.cpu = cpu;
    topology.cores.push_back(core);
  }
  return topology;
}

TEST(LostCores, AreNamedByTheSystemsNumbers) {
  EXPECT_EQ(text_of(host(), {{0, "stuck"}}), "core 4");
  EXPECT_EQ(text_of(host(), {{1, "stuck"}, {2, "stuck"}}), "cores 6-7");
}

TEST(LostCores, AreToldTogetherWhereTheReasonIsTheSame) {
  wire::HostFacts facts;
  tell(host(), {{0, "stuck"}, {1, "gone"}, {3, "stuck"}}, facts);
  ASSERT_EQ(facts.lost_cores_size(), 2);
  EXPECT_EQ(text_of(facts.lost_cores(0)), "core 6 (gone)");
  EXPECT_EQ(text_of(facts.lost_cores(1)), "cores 4, 9 (stuck)");
}

TEST(LostCores, LeaveTheOthers) {
  const Topology left = cores_left(host(), {{1, "stuck"}});
  ASSERT_EQ(left.cores.size(), 3U);
  EXPECT_EQ(left.cores[1].cpu, 7U);
  EXPECT_TRUE(cores_left(left, {{0, ""}, {1, ""}, {2, ""}}).cores.empty());
}

}  // namespace
}  // namespace kernsweep
