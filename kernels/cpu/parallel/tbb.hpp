// The threads of a kernel: oneTBB, held to the number that the host allows.
//
// Work is cut in advance into equal runs of neighbouring parts, one for each thread (TBB's static
// partitioner), and the same thread meets the same parts again as far as TBB can arrange it: memory touched
// first in `prepare` then lies near the thread that uses it in `run`. No stealing for balance: a kernel
// that is measured should do the same in every run. One thread means the calling thread and nothing of TBB
// at all.
//
// The workers live in TBB's pool of the process and inherit the affinity of the slot. A Team is made and
// used on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/api/pack.h"

namespace kernsweep {

class Team {
 public:
  // `threads` >= 1, the calling one included. Null with `status` and `why` when the system gives no
  // threads.
  static std::unique_ptr<Team> make(int threads, ks_status& status, ks_why why);
  ~Team();

  // Calls body(0) ... body(parts - 1), each once, and returns when all have. `body` must not throw.
  // KS_FAILED when TBB could not run them.
  ks_status each(std::int64_t parts, const std::function<void(std::int64_t part)>& body);

  int threads() const { return threads_; }

 private:
  struct Body;
  Team(int threads, std::unique_ptr<Body> body);

  int threads_;
  std::unique_ptr<Body> body_;  // null for one thread
};

// "oneTBB 2021.8": the version that is loaded.
const char* tbb_runtime();

}  // namespace kernsweep
