// The reference: the sums of the definition, in double, with their terms added in order; the same bits for
// any number of threads.
#pragma once

#include "kernels/cpu/attention/parts.hpp"
#include "kernels/cpu/attention/problem.hpp"

namespace kernsweep::attention {

class Naive {
 public:
  Naive(const Problem& problem, pack::Setup& setup);
  static void can_run(const Problem& problem) { problem.check(); }
  void run();
  std::vector<ks_declared_metric> metrics() const { return memory_.metrics(); }

 private:
  template <class T>
  void compute(const T* q, const T* k, const T* v);

  Problem problem_;
  ks_tensor q_, k_, v_;
  std::unique_ptr<Team> team_;
  Workspace memory_;
  std::span<double> y_;
  std::span<double> keys_;    // of one head: [head_dim][kv_len], so that loops over keys are vectorised
  std::span<double> scores_;  // [threads][kv_len]
};

}  // namespace kernsweep::attention
