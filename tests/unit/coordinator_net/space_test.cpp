#include "coordinator/net/space.hpp"

#include <gmock/gmock.h>

namespace kernsweep::coordination {
namespace {

using ::testing::HasSubstr;

Expansion sweep_of(const std::string& axes) {
  auto parsed = Expansion::parse(
      "sweep: 1\nname: s\nkernel: noop\nmeasure: {processes: 1, order: interleave}\n" + axes, "", {});
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return std::move(*parsed);
}

std::vector<KnownHost> one_host() {
  return {{"big", {{"cores", Value(4)}, {"memory_bytes", Value(100)}}, {"noop"}}};
}

TEST(ExpansionSpace, AJobAsksForAsManyCoresAsThreads) {
  const Expansion expansion = sweep_of("axes: {threads: [1, 3], i: [7]}\n");
  const auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  ASSERT_EQ(space.size(), 2U);
  EXPECT_EQ(space.cores(0), 1U);
  EXPECT_EQ(space.cores(1), 3U);
}

TEST(ExpansionSpace, WithoutThreadsOneCore) {
  const Expansion expansion = sweep_of("axes: {i: [7]}\n");
  const auto hosts = one_host();
  EXPECT_EQ(ExpansionSpace(expansion, hosts).cores(0), 1U);
}

TEST(ExpansionSpace, SaysWhyAHostCannot) {
  const Expansion expansion = sweep_of("axes: {threads: [8]}\n");
  const auto hosts = one_host();
  const auto why = ExpansionSpace(expansion, hosts).unfit(0, HostFacts{1, 4, 0, 0});
  ASSERT_TRUE(why);
  EXPECT_EQ(*why, "threads is 8, but big offers 4 cores");
}

TEST(ExpansionSpace, AHostWithoutTheFamilyIsUnfit) {
  const Expansion expansion = sweep_of("axes: {i: [1]}\n");
  auto hosts = one_host();
  hosts[0].families = {"gemm"};
  const auto why = ExpansionSpace(expansion, hosts).unfit(0, HostFacts{1, 4, 0, 0});
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("no pack on big has the family 'noop'"));
}

TEST(ExpansionSpace, RequirementsAreAskedOfTheHost) {
  const Expansion expansion =
      sweep_of("axes: {bytes: [50, 200]}\nrequires: [bytes <= host.memory_bytes]\n");
  const auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  EXPECT_FALSE(space.unfit(0, HostFacts{1, 4, 0, 0}));
  const auto why = space.unfit(1, HostFacts{1, 4, 0, 0});
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, HasSubstr("host.memory_bytes"));
}

TEST(ExpansionSpace, RejectedPointsAreUnwanted) {
  const Expansion expansion = sweep_of("axes: {i: [1, 2, 3]}\nconstraints: [i != 2]\n");
  const auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  EXPECT_TRUE(space.wanted(0));
  EXPECT_FALSE(space.wanted(1));
  EXPECT_TRUE(space.wanted(2));
}

TEST(ExpansionSpace, LabelsAreForPeople) {
  const Expansion expansion = sweep_of("axes: {i: [1], j: [a b]}\nderive: {k: i + 1}\n");
  const auto hosts = one_host();
  EXPECT_EQ(ExpansionSpace(expansion, hosts).label(0), "i=1 j=a b");
}

}  // namespace
}  // namespace kernsweep::coordination
