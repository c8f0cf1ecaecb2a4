// The threads of a kernel: oneTBB, limited to the number that the host allows.
//
// Work is divided in advance into equal runs of adjacent parts, one for each thread (TBB's static
// partitioner), and TBB gives the same parts to the same thread again if possible: memory that was first
// written in `prepare` is then near the thread that uses it in `run`. There is no work stealing, because
// every measured run should do the same. With one thread, the calling thread does everything, without TBB.
//
// The threads belong to TBB's pool of the process and inherit the affinity of the slot. A Team is made and
// used on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "kernels/api/pack.h"

namespace kernsweep {

class Team {
 public:
  // `threads` >= 1, the calling one included. Null with `status` and `why` if the system gives no threads.
  static std::unique_ptr<Team> make(int threads, ks_status& status, ks_why why);
  ~Team();

  // Calls body(0) ... body(parts - 1), each once, and returns when all are done. `body` must not throw.
  // KS_FAILED if TBB could not run them.
  ks_status each(std::int64_t parts, const std::function<void(std::int64_t part)>& body);

  int threads() const { return threads_; }

 private:
  struct Body;
  Team(int threads, std::unique_ptr<Body> body);

  int threads_;
  std::unique_ptr<Body> body_;  // null for one thread
};

// "oneTBB 2021.8 (interface 12080)": the version that is loaded.
const char* tbb_runtime();

}  // namespace kernsweep
