// What sweeps may require of a host's GPUs.
#include "worker/gpus.hpp"

#include <gmock/gmock.h>

#include "shared/base/gpu_facts.hpp"

namespace kernsweep {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

wire::Gpus card(const std::string& name, std::uint64_t bytes, std::uint32_t capability_tenths) {
  wire::Gpus gpus;
  wire::Gpu& gpu = *gpus.add_gpus();
  gpu.set_name(name);
  gpu.set_memory_bytes(bytes);
  gpu.set_capability_tenths(capability_tenths);
  gpu.set_multiprocessors(100);
  return gpus;
}

TEST(GpuFacts, OfAHostWithoutOneTellHowManyThereAre) {
  EXPECT_THAT(gpu_facts({}), UnorderedElementsAre(Pair("count", Value(0))));
}

TEST(GpuFacts, OfDifferentOnesAreTheLeastOfEachNumberAndNoName) {
  wire::Gpus gpus = card("A", 80, 90);
  gpus.MergeFrom(card("B", 90, 86));
  gpus.set_cuda("13.0");
  EXPECT_THAT(
      gpu_facts(gpus),
      UnorderedElementsAre(Pair("count", Value(2)), Pair("memory_bytes", Value(80)),
                           Pair("compute_capability", Value(8.6)), Pair("multiprocessors", Value(100)),
                           Pair("l2_bytes", Value(0)), Pair("cuda", Value("13.0"))));
  gpus.mutable_gpus(1)->set_name("A");
  EXPECT_EQ(gpu_facts(gpus).at("name"), Value("A"));
}

TEST(GpuFacts, AreThoseThatTheLanguageKnows) {
  wire::Gpus gpus = card("A", 80, 90);
  gpus.set_driver("580");
  gpus.set_cuda("13.0");
  std::vector<std::string> told;
  for (const auto& [name, value] : gpu_facts(gpus)) told.push_back(name);
  EXPECT_THAT(told, ::testing::UnorderedElementsAreArray(kGpuFacts));
}

TEST(GpusLeft, AreTheOthersAndTheLostOnesAreNamedWithTheirReason) {
  wire::Gpus gpus = card("A", 80, 90);
  gpus.MergeFrom(card("B", 90, 86));
  gpus.mutable_gpus(0)->set_uuid("GPU-1");
  gpus.set_driver("580");
  wire::LostGpu& before = *gpus.add_lost();
  before.set_uuid("GPU-0");
  const wire::Gpus left = gpus_left(gpus, {{0, "fell off its bus"}});
  ASSERT_EQ(left.gpus_size(), 1);
  EXPECT_EQ(left.gpus(0).name(), "B");
  EXPECT_EQ(left.driver(), "580");
  ASSERT_EQ(left.lost_size(), 2);
  EXPECT_EQ(left.lost(0).uuid(), "GPU-0");
  EXPECT_EQ(left.lost(1).uuid() + " " + left.lost(1).name() + " " + left.lost(1).why(),
            "GPU-1 A fell off its bus");
  EXPECT_EQ(gpu_facts(left).at("count"), Value(1));
}

}  // namespace
}  // namespace kernsweep
