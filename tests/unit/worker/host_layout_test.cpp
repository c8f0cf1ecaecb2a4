// The layout of a host for the worker's core.
#include "worker/host_layout.hpp"

#include <gtest/gtest.h>

namespace kernsweep::worker {
namespace {

wire::Gpus two_cards() {
  wire::Gpus gpus;
  gpus.set_driver("580.1");
  gpus.set_cuda("13.0");
  for (const char* uuid : {"GPU-a", "GPU-b"}) {
    wire::Gpu& gpu = *gpus.add_gpus();
    gpu.set_uuid(uuid);
    gpu.set_name("NVIDIA X");
    gpu.set_capability_tenths(90);
    gpu.set_memory_bytes(80);
  }
  gpus.mutable_gpus(1)->set_numa_node(1);
  return gpus;
}

UnitSet units_of(std::initializer_list<std::size_t> bits) {
  UnitSet units;
  for (const std::size_t bit : bits) units.set(bit);
  return units;
}

TEST(HostLayout, AGpuIsNearTheCoresOfItsNode) {
  Topology topology;
  topology.cores = {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 1, 1, 1}};
  const HostLayout layout = layout_of(topology, two_cards());
  EXPECT_EQ(layout.cores, 3U);
  EXPECT_EQ(layout.gpus, 2U);
  ASSERT_EQ(layout.near.size(), 2U);
  EXPECT_EQ(layout.near[0], UnitSet()) << "which node is not known";
  EXPECT_EQ(layout.near[1], units_of({2}));
  EXPECT_EQ(layout.numa_of[1], units_of({0, 1}));
}

TEST(HostLayout, TheCachesOfAJobAreThoseOfItsCoresOrALargerOneOfItsGpus) {
  Topology topology;
  topology.llc_bytes = 32;
  topology.cores = {{0, 0, 0, 0}, {1, 0, 0, 0}, {2, 0, 1, 0}};  // the third has a cache of its own
  wire::Gpus gpus = two_cards();
  gpus.mutable_gpus(1)->set_l2_bytes(50);
  EXPECT_EQ(cache_to_empty(topology, gpus, units_of({0, 1})), 32U);
  EXPECT_EQ(cache_to_empty(topology, gpus, units_of({0, 1, 2})), 64U);
  EXPECT_EQ(cache_to_empty(topology, gpus, units_of({0, kCoresMax})), 32U) << "not told";
  EXPECT_EQ(cache_to_empty(topology, gpus, units_of({0, kCoresMax + 1})), 50U);
  EXPECT_EQ(cache_to_empty(topology, gpus, units_of({0, 2, kCoresMax + 1})), 64U);
}

TEST(HostLayout, GpusAreNamedForTheProcessAndForTheResult) {
  const wire::Gpus gpus = two_cards();
  const UnitSet second = units_of({0, kCoresMax + 1}), both = units_of({kCoresMax, kCoresMax + 1});
  EXPECT_EQ(visible_gpus(gpus, units_of({0, 1})), "");
  EXPECT_EQ(visible_gpus(gpus, second), "GPU-b");
  EXPECT_EQ(visible_gpus(gpus, both), "GPU-a,GPU-b");
  const std::string rest = " NVIDIA X, compute capability 9.0, 80 bytes, driver 580.1, CUDA 13.0";
  EXPECT_EQ(text_of_gpus(gpus, second), "GPU-b" + rest);
  EXPECT_EQ(text_of_gpus(gpus, both), "GPU-a" + rest + "\nGPU-b" + rest);
}

}  // namespace
}  // namespace kernsweep::worker
