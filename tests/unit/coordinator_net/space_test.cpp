#include "coordinator/net/space.hpp"
#include "tests/golden_text/golden_text.hpp"

#include <gmock/gmock.h>

namespace kernsweep::coordinator {
namespace {

Expansion sweep_of(const std::string& axes) {
  auto parsed = Expansion::parse(
      "sweep: 1\nname: s\nkernel: noop\nmeasure: {processes: 1, order: interleave}\n" + axes, "", {});
  EXPECT_TRUE(parsed) << (parsed ? "" : parsed.error().message);
  return std::move(*parsed);
}

std::vector<KnownHost> one_host() {
  return {{"big", {{"cores", Value(4)}, {"memory_bytes", Value(100)}}, {{"noop", {}}}}};
}

TEST(ExpansionSpace, AJobAsksForAsManyCoresAsThreads) {
  const Expansion expansion = sweep_of("axes: {threads: [1, 3], i: [7]}\n");
  const auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  ASSERT_EQ(space.size(), 2U);
  EXPECT_EQ(space.cores(0), 1U);
  EXPECT_EQ(space.cores(1), 3U);
}

TEST(ExpansionSpace, EachCopyOfAJobHasItsThreads) {
  const Expansion expansion = sweep_of("axes: {threads: [2, null], copies: [3, null]}\n");
  auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  std::vector<std::string> all;
  for (std::uint64_t i = 0; i < space.size(); ++i)
    all.push_back(std::to_string(space.cores(i)) + " = " + std::to_string(space.threads(i)) + " x " +
                  std::to_string(space.copies(i)));
  EXPECT_THAT(all, testing::UnorderedElementsAre("6 = 2 x 3", "2 = 2 x 0", "3 = 1 x 3", "1 = 1 x 0"));
  EXPECT_EQ(space.unfit(0, HostFacts{1, 4, 0, 0}), "3 copies of 2 threads each, but big offers 4 cores");
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
  hosts[0].families = {{"gemm", {}}};
  const auto why = ExpansionSpace(expansion, hosts).unfit(0, HostFacts{1, 4, 0, 0});
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, IsGolden());
}

TEST(ExpansionSpace, AHostWithoutTheVariantIsUnfit) {
  const Expansion expansion = sweep_of("axes: {variant: [here, elsewhere]}\n");
  auto hosts = one_host();
  hosts[0].families = {{"noop", {"here"}}};
  const ExpansionSpace space(expansion, hosts);
  EXPECT_FALSE(space.unfit(0, HostFacts{1, 4, 0, 0}));
  EXPECT_EQ(space.unfit(1, HostFacts{1, 4, 0, 0}), "no pack on big has the variant 'elsewhere' of noop");
}

TEST(ExpansionSpace, GpusAreAskedOfTheHost) {
  const Expansion expansion =
      sweep_of("axes: {device: [cpu, gpu], gpus: {values: [1, 2], when: 'device == \"gpu\"'}}\n");
  const auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  const HostFacts none{1, 4, 0, 0}, one{1, 4, 1, 0};
  std::vector<std::uint32_t> asked;
  std::vector<std::optional<std::string>> why;
  for (std::uint64_t index = 0; index < 3; ++index) asked.push_back(space.gpus(index));
  EXPECT_EQ(asked, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_FALSE(space.unfit(0, none));
  EXPECT_EQ(space.unfit(1, none), "it asks for 1 GPU, but big offers none");
  auto without_driver = hosts;
  without_driver[0].why_no_gpus = "no CUDA driver";
  EXPECT_EQ(ExpansionSpace(expansion, without_driver).unfit(1, none),
            "it asks for 1 GPU, but big offers none (no CUDA driver); `kernsweep doctor` there shows more");
  EXPECT_FALSE(space.unfit(1, one));
  EXPECT_EQ(space.unfit(2, one), "it asks for 2 GPUs, but big offers 1");
  auto with_a_loss = hosts;
  with_a_loss[0].lost_gpus = "GPU-1 (fell off its bus)";
  EXPECT_EQ(ExpansionSpace(expansion, with_a_loss).unfit(2, one),
            "it asks for 2 GPUs, but big offers 1; it has lost GPU-1 (fell off its bus)");
  EXPECT_EQ(ExpansionSpace(sweep_of("axes: {device: [gpu]}\n"), hosts).gpus(0), 1U);
}

TEST(ExpansionSpace, WhereCoresLackThoseThatWereGivenUpAreNamed) {
  const Expansion expansion = sweep_of("axes: {threads: [2]}\n");
  auto hosts = one_host();
  hosts[0].lost_cores = "core 3 (not gone)";
  EXPECT_EQ(ExpansionSpace(expansion, hosts).unfit(0, HostFacts{1, 1, 0, 0}),
            "threads is 2, but big offers 1 core; it has given up core 3 (not gone)");
}

TEST(ExpansionSpace, RequirementsAreAskedOfTheHost) {
  const Expansion expansion =
      sweep_of("axes: {bytes: [50, 200]}\nrequires: [bytes <= host.memory_bytes]\n");
  const auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  EXPECT_FALSE(space.unfit(0, HostFacts{1, 4, 0, 0}));
  const auto why = space.unfit(1, HostFacts{1, 4, 0, 0});
  ASSERT_TRUE(why);
  EXPECT_THAT(*why, IsGolden());
}

// Two of a kind, but for their names and their memory.
std::vector<KnownHost> two_hosts() {
  auto hosts = one_host();
  hosts.push_back(hosts.front());
  hosts[0].facts["name"] = Value("big");
  hosts[1].name = "large";
  hosts[1].facts["name"] = Value("large");
  hosts[1].facts["memory_bytes"] = Value(101);
  return hosts;
}

bool told_apart(const std::string& axes, const std::vector<KnownHost>& hosts) {
  const Expansion expansion = sweep_of(axes);
  const ExpansionSpace space(expansion, hosts);
  const std::uint32_t first = space.traits({1, 4, 0, 0}), second = space.traits({2, 4, 0, 1});
  EXPECT_EQ(space.traits({3, 4, 0, 0}), first) << "equal facts, another answer";
  return first != second;
}

TEST(ExpansionSpace, HostsAreToldApartByWhatRequirementsReadAlone) {
  EXPECT_FALSE(told_apart("axes: {i: [1]}\n", two_hosts()));
  EXPECT_FALSE(told_apart("axes: {i: [1]}\nrequires: [host.cores >= i]\n", two_hosts()));
  EXPECT_TRUE(told_apart("axes: {i: [1]}\nrequires: ['host.name == \"big\"']\n", two_hosts()));
  EXPECT_TRUE(told_apart("axes: {i: [1]}\nrequires: [host.memory_bytes > i]\n", two_hosts()));
}

TEST(ExpansionSpace, HostsAreToldApartByWhatTheyRun) {
  auto hosts = two_hosts();
  hosts[1].families["gemm"] = {"naive"};  // the sweep is of another
  EXPECT_FALSE(told_apart("axes: {i: [1]}\n", hosts));
  hosts[1].families["noop"] = {"here"};
  EXPECT_TRUE(told_apart("axes: {i: [1]}\n", hosts));
  hosts = two_hosts();
  hosts[1].allow = {"packs", "python"};
  EXPECT_FALSE(told_apart("axes: {i: [1]}\n", hosts));
  hosts[1].allow = {"python"};
  EXPECT_TRUE(told_apart("axes: {i: [1]}\n", hosts));
}

TEST(ExpansionSpace, AHostThatMayNotRunTheReferenceGetsNoJob) {
  const std::string by_command = "axes: {i: [1]}\nverify: {reference: {command: ./right}}\n";
  const Expansion expansion = sweep_of(by_command);
  auto hosts = one_host();
  const HostFacts facts{0, 4, 0, 0};
  EXPECT_FALSE(ExpansionSpace(expansion, hosts).unfit(0, facts));
  hosts[0].allow = {"packs"};
  EXPECT_TRUE(ExpansionSpace(expansion, hosts).unfit(0, facts));
  hosts[0].allow = {"packs", "command"};
  EXPECT_FALSE(ExpansionSpace(expansion, hosts).unfit(0, facts));
  const Expansion by_variant = sweep_of("axes: {i: [1]}\nverify: {reference: here}\n");
  hosts[0].allow = {"packs"};
  EXPECT_FALSE(ExpansionSpace(by_variant, hosts).unfit(0, facts));
}

TEST(ExpansionSpace, AnOlderPackThatWouldLeaveOutASetupGetsNoJob) {
  const auto plain = Expansion::parse("sweep: 1\nname: n\ncommand: a\naxes: {i: [1]}\n", "", {});
  const auto with = Expansion::parse("sweep: 1\nname: n\ncommand: a\nsetup: b\naxes: {i: [1]}\n", "", {});
  ASSERT_TRUE(plain && with);
  auto hosts = one_host();
  const HostFacts facts{0, 4, 0, 0};
  hosts[0].families["command"] = {"command"};
  EXPECT_FALSE(ExpansionSpace(*plain, hosts).unfit(0, facts));
  EXPECT_TRUE(ExpansionSpace(*with, hosts).unfit(0, facts));
  hosts[0].command_parameters = {"command", "command.setup"};
  EXPECT_FALSE(ExpansionSpace(*with, hosts).unfit(0, facts));
}

TEST(ExpansionSpace, GpuFactsThatNothingReadsTellNobodyApart) {
  auto hosts = two_hosts();
  hosts[1].gpu_facts["driver"] = Value("555");
  hosts[1].lost_gpus = "GPU-1 (fell off its bus)";
  EXPECT_FALSE(told_apart("axes: {i: [1]}\n", hosts));
  EXPECT_TRUE(told_apart("axes: {i: [1]}\nrequires: ['gpu.driver == \"555\"']\n", hosts));
}

TEST(ExpansionSpace, RejectedPointsAreUnwanted) {
  const Expansion expansion = sweep_of("axes: {i: [1, 2, 3]}\nconstraints: [i != 2]\n");
  const auto hosts = one_host();
  const ExpansionSpace space(expansion, hosts);
  EXPECT_TRUE(space.wanted(0));
  EXPECT_FALSE(space.wanted(1));
  EXPECT_TRUE(space.wanted(2));
}

// Two points in twelve blocks: job 2 * b and 2 * b + 1 are block b.
class BlocksOfASpace : public ::testing::Test {
 protected:
  static Expansion small(const std::string& more) {
    return Expansion::parse("sweep: 1\nname: s\ncommand: sleep {i}\naxes: {i: [1, 2]}\n" + more, "", {})
        .value();
  }
  void send(std::uint64_t last) {
    for (std::uint64_t job = 0; job <= last; ++job) space.begun(job);
  }
  const std::vector<KnownHost> hosts = one_host();
  const Expansion expansion = small("measure: {order: interleave}\n");
  ExpansionSpace space{expansion, hosts};
};

TEST_F(BlocksOfASpace, ThatHaveNotBegunAreLeftOutOnceAPointHasTakenItsTime) {
  send(10);  // job 11 is of the same block, the sixth
  for (const std::uint64_t block : {0, 1, 2}) space.took(2 * block, 4900ms);
  EXPECT_TRUE(space.wanted(23)) << "14.7 s";
  space.took(7, 400ms);
  EXPECT_TRUE(space.wanted(23)) << "of the other point";
  space.took(6, 400ms);
  EXPECT_EQ(space.blocks(), 6U);
  EXPECT_TRUE(space.wanted(11));
  EXPECT_FALSE(space.wanted(12));
  EXPECT_EQ(space.rejected_by(12), expansion.filters().size());
  send(11);
  space.took(8, 4s);
  EXPECT_EQ(space.blocks(), 6U) << "decided once";
}

TEST_F(BlocksOfASpace, AreAtLeastThree) {
  send(0);
  space.took(0, 60s);
  EXPECT_EQ(space.blocks(), 3U);
  EXPECT_TRUE(space.wanted(5));
  EXPECT_FALSE(space.wanted(6));
}

TEST_F(BlocksOfASpace, AreNotLeftOutWhereTheSweepSaysHowMany) {
  for (const char* more : {"measure: {processes: 12}\n", "measure: {order: sequential}\n", "hosts: each\n",
                           "measure: {alone_on: core}\n"}) {
    const Expansion given = small(more);
    ExpansionSpace whole(given, hosts);
    whole.begun(0);
    whole.took(0, 60s);
    EXPECT_EQ(whole.blocks(), 0U) << more;
    EXPECT_EQ(whole.held_max(), 0U) << more;
    EXPECT_TRUE(whole.wanted(23)) << more;
  }
}

TEST(ExpansionSpace, LabelsAreForPeople) {
  const Expansion expansion = sweep_of("axes: {i: [1], j: [a b]}\nderive: {k: i + 1}\n");
  const auto hosts = one_host();
  EXPECT_EQ(ExpansionSpace(expansion, hosts).label(0), "i=1 j=a b");
}

}  // namespace
}  // namespace kernsweep::coordinator
