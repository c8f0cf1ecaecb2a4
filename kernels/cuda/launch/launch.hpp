// The family launch: what it costs the host to start kernels. A run clears n counters on the GPU and does
// `steps` steps, in each of which it starts `kernels` kernels, one after the other, that add 1 to every
// counter.
//
//   graph   false: each kernel by a call of its own; true: those of a step by one call, as a CUDA graph
//           recorded once
//   sync    run: the host waits when all steps are started; step: after each step;
//           kernel: after each kernel
//
// Timed by the host's clock, because the cost on the host is measured. n is small by default, so that a
// kernel does almost nothing; with a large n, the cost of launches is hidden by the kernels.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/api/pack.hpp"

namespace kernsweep::cuda {

enum class LaunchSync { run, step, kernel };

struct Launches {
  std::int64_t kernels = 1000;  // of a step
  std::int64_t steps = 1;
  std::int64_t n = 256;
  bool graph = false;
  LaunchSync sync = LaunchSync::step;

  static std::vector<pack::Param<Launches>> params();
  void check() const;
  ks_work work() const;
  ks_tolerance tolerance() const { return {}; }                 // equal
  std::int64_t all_kernels() const { return kernels * steps; }  // what each counter has after a run
};

pack::Variant launch_cuda();
pack::Family launch_family();

}  // namespace kernsweep::cuda
