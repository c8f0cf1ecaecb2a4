// The definition with any CBLAS of the host: for each head two products and, between them, the softmax as a
// separate pass over the matrix of scores, q_len x kv_len, which is in memory. Scores above the diagonal
// are computed, too, and not used. The softmax runs on our threads, vectorised, and the products on the
// library's. f32 only.
//
// With one query the heads that share keys are computed as one product.
#pragma once

#include "kernels/cpu/attention/parts.hpp"
#include "kernels/cpu/attention/problem.hpp"
#include "kernels/cpu/attention/tile.hpp"
#include "kernels/cpu/libraries/pack_settings.hpp"

namespace kernsweep::attention {

class Plain {
 public:
  using Settings = BlasSettings;

  Plain(const Problem& problem, const Settings& settings, pack::Setup& setup);
  static void can_run(const Problem& problem);
  void run();
  std::string runtime() const;
  std::vector<ks_declared_metric> metrics() const { return memory_.metrics(); }

 private:
  Problem problem_;
  const TileKernels* kernels_;
  std::span<const float> q_, k_, v_;
  std::shared_ptr<const Cblas> blas_;
  std::unique_ptr<Team> team_;
  std::span<float> y_;
  Workspace memory_;
  std::int64_t rows_;  // number of rows of scores in memory at the same time
  std::span<float> scores_;
};

}  // namespace kernsweep::attention
