// The family launch: what it costs the host to start kernels. A run clears n counters on the GPU and starts
// `kernels` kernels, one after the other, each of which adds 1 to every counter.
//
//   graph   false: each kernel by a call of its own; true: all by one call, as a CUDA graph recorded once
//   sync    step: the host waits when all are started; kernel: after each one
//
// Timed by the host's clock: the host's part is the question. n is small by default, so that a kernel does
// next to nothing; with a large one the same run shows when launches cost nothing any more.
#pragma once

#include <cstdint>

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

struct Launches {
  std::int64_t kernels = 0;
  std::int64_t n = 0;
  bool graph = false;
  bool sync_each = false;
};

// KS_BAD_PARAMETER with a reason for a number or a word that is none.
ks_status parse_launches(const ks_params* params, Launches& launches, ks_why why);

extern const ks_variant kLaunchCuda;
extern const ks_variant kLaunchNaive;  // the reference: the additions on the host

extern const ks_family kLaunchFamily;

}  // namespace kernsweep::cuda
