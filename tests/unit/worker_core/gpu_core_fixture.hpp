// The same with GPUs.
#pragma once

#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {

class GpuCoreFixture : public CoreFixture {
 protected:
  // GPU 0 is near the first half of the cores, GPU 1 near the second, and so on.
  void open(std::uint32_t cores, std::uint32_t gpus) {
    HostLayout layout = layout_of(cores);
    layout.gpus = gpus;
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
      UnitSet near;
      for (std::uint32_t each = 0; each < cores; ++each) near.set(each, each * gpus / cores == gpu);
      layout.near.push_back(near);
    }
    core = std::make_unique<Core>(layout, options);
  }
  static Order on_gpus(std::uint64_t index, std::uint32_t gpus, Exclusion alone_on = Exclusion::core,
                       std::uint32_t key = 0) {
    Order made = order(index, alone_on, 1, key);
    made.gpus = gpus;
    return made;
  }
};

}  // namespace kernsweep::worker
