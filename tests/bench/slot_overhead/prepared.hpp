// One point of a family made ready as a slot makes it, without a sweep, a worker or a socket: operands from
// the tensor store, guarded memory, the pack's own C interface.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/api/pack.h"
#include "worker/slot/worker_port.hpp"

namespace kernsweep::bench {

struct Case {
  std::string name;    // of the figures
  std::string family;  // of the pack of the same name
  std::string variant;
  std::vector<std::pair<std::string, std::int64_t>> sizes;
  std::uint64_t samples = 0;  // calls of one repetition
};

// gemm of 256 cubed by oneDNN on one core, in its caches; triad of three arrays of 32 MiB, out of them.
const std::vector<Case>& cases();

// Throws std::runtime_error when the pack, the variant or the operands cannot be had.
class Prepared {
 public:
  explicit Prepared(const Case& point);
  ~Prepared();
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  const ks_variant& variant() const;
  void* state() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The medians of one repetition, seconds per call.
double median_by_sampler(const Case& point, const Prepared& ready);  // worker/slot's timed section alone
double median_by_job_runner(const Case& point);  // a whole job, with operands from a fake worker

}  // namespace kernsweep::bench
