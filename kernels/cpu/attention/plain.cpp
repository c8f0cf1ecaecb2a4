#include "kernels/cpu/attention/plain.hpp"

#include <fmt/format.h>

namespace kernsweep::attention {

void Plain::can_run(const Problem& problem) {
  if (problem.dtype != KS_F32)
    throw pack::Refused(KS_UNSUPPORTED,
                        "dtype bf16: a CBLAS library computes f32 here; fused does bf16, too");
}

Plain::Plain(const Problem& problem, const Settings& settings, pack::Setup& setup)
    : problem_(problem),
      kernels_(find_tile_kernels("best")),
      q_(setup.input<float>(0)),
      k_(setup.input<float>(1)),
      v_(setup.input<float>(2)),
      blas_(settings.open(setup)),
      team_(team_of(setup)),
      y_(setup.output<float>(problem.q_shape())),
      rows_(problem.q_len == 1 ? problem.group() : problem.q_len),
      scores_(memory_.allocate<float>(setup, rows_ * problem.keys())) {}

std::string Plain::runtime() const {
  return fmt::format("{} softmax={} {}", blas_->runtime(), kernels_->isa, tbb_runtime());
}

void Plain::run() {
  const std::int64_t depth = problem_.head_dim, keys = problem_.keys();
  if (keys == 0) std::fill(y_.begin(), y_.end(), 0.0F);
  if (y_.empty() || keys == 0) return;
  const auto narrow = [](std::int64_t extent) { return static_cast<int>(extent); };  // below 2^31
  const int m = narrow(rows_), n = narrow(keys), d = narrow(depth);
  const float scale = static_cast<float>(problem_.scale());
  const std::int64_t heads_at_once = rows_ / problem_.q_len;
  for (std::int64_t head = 0; head < problem_.batch * problem_.heads; head += heads_at_once) {
    const std::int64_t queries = head * problem_.q_len * depth;
    const std::int64_t of_keys = head / problem_.group() * keys * depth;
    blas_->sgemm(false, true, m, n, d, q_.data() + queries, d, k_.data() + of_keys, d, scores_.data(), n);
    on_each(*team_, rows_, [&](std::int64_t row) {
      kernels_->softmax(scores_.data() + row * keys, problem_.seen(row % problem_.q_len), keys, scale);
    });
    blas_->sgemm(false, false, m, d, n, scores_.data(), n, v_.data() + of_keys, d, y_.data() + queries, d);
  }
}

}  // namespace kernsweep::attention
