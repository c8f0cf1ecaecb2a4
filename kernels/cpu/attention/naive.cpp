#include "kernels/cpu/attention/naive.hpp"

namespace kernsweep::attention {

Naive::Naive(const Problem& problem, pack::Setup& setup)
    : problem_(problem),
      q_(setup.tensor(0)),
      k_(setup.tensor(1)),
      v_(setup.tensor(2)),
      team_(team_of(setup)),
      y_(setup.output<double>(problem.q_shape())),
      keys_(memory_.allocate<double>(setup, problem.head_dim * problem.keys())),
      scores_(memory_.allocate<double>(setup, team_->threads() * problem.keys())) {}

void Naive::run() {
  const auto compute_as = [this](auto element) {
    using T = decltype(element);
    compute(static_cast<const T*>(q_.data), static_cast<const T*>(k_.data), static_cast<const T*>(v_.data));
  };
  problem_.dtype == KS_F32 ? compute_as(float{}) : compute_as(std::uint16_t{});
}

template <class T>
void Naive::compute(const T* q, const T* k, const T* v) {
  const std::int64_t depth = problem_.head_dim, keys = problem_.keys();
  const std::int64_t rows = problem_.group() * problem_.q_len;  // that share keys, one after the other
  const std::int64_t threads = team_->threads();
  const double scale = problem_.scale();
  for (std::int64_t head = 0; head < problem_.batch * problem_.key_heads(); ++head) {
    const T* const of_head = k + head * keys * depth;
    on_each(*team_, depth, [&](std::int64_t t) {
      for (std::int64_t j = 0; j < keys; ++j) keys_[t * keys + j] = widened(of_head[j * depth + t]);
    });
    on_each(*team_, threads, [&](std::int64_t thread) {
      double* const scores = scores_.data() + thread * keys;
      for (std::int64_t row = thread; row < rows; row += threads) {
        const std::int64_t seen = problem_.seen(row % problem_.q_len);
        const T* const query = q + (head * rows + row) * depth;
        double* const y = y_.data() + (head * rows + row) * depth;
        std::fill_n(scores, seen, 0.0);
        for (std::int64_t t = 0; t < depth; ++t) {
          const double factor = widened(query[t]);
          const double* const column = keys_.data() + t * keys;
          for (std::int64_t j = 0; j < seen; ++j) scores[j] += factor * column[j];
        }
        double largest = -std::numeric_limits<double>::infinity(), total = 0;
        for (std::int64_t j = 0; j < seen; ++j) largest = std::max(largest, scores[j]);
        std::fill_n(y, depth, 0.0);
        for (std::int64_t j = 0; j < seen; ++j) {
          const double weight = std::exp(scale * (scores[j] - largest));
          const T* const value = v + (head * keys + j) * depth;
          total += weight;
          for (std::int64_t t = 0; t < depth; ++t) y[t] += weight * widened(value[t]);
        }
        for (std::int64_t t = 0; t < depth && seen > 0; ++t) y[t] /= total;
      }
    });
  }
}

}  // namespace kernsweep::attention
