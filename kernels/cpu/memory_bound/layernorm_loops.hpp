// Layer normalisation of rows; included by loops_of_isa.cpp only.
//
// Three passes over a row: its mean; its variance, as the mean of squared distances, which does not cancel;
// the results. The first reads the row from memory, the others from a cache. With stores past the caches,
// the results of a row are stored while the mean of the next one is computed, because alternating reads and
// writes leave half of the bandwidth unused.
#pragma once

namespace kernsweep::memory_bound {
namespace {

constexpr auto kSum = [](auto a, auto b) { return a + b; };

// Sum of term(x) over a row, in four vectors of partial sums; `rest` fills the last vector, so term(rest)
// must be 0. meanwhile(i) is called once for every four vectors, with the index of the first element.
template <class Term, class Meanwhile>
[[gnu::always_inline]] inline float sum_of_row(const float* x, Index cols, float rest, const Term& term,
                                               const Meanwhile& meanwhile) {
  Vec sums[4] = {};
  Index i = 0;
  for (; i + kAtOnce <= cols; i += kAtOnce) {
    meanwhile(i);
    for (Index k = 0; k < 4; ++k) sums[k] += term(load(x + i + k * kLanes));
  }
  for (; i < cols; i += kLanes)
    sums[0] += term(load_part(x + i, cols - i < kLanes ? cols - i : kLanes, rest));
  return across(sums, kSum);
}

struct Moments {
  float mean, scale;  // scale: 1 / sqrt(variance + epsilon)
};

template <class Meanwhile>
[[gnu::always_inline]] inline Moments moments_of(const float* x, Index cols, float epsilon,
                                                 const Meanwhile& meanwhile) {
  const auto count = static_cast<float>(cols);
  const float mean = sum_of_row(
                         x, cols, 0, [](Vec v) { return v; }, meanwhile) /
                     count;
  const auto square = [=](Vec v) { return (v - mean) * (v - mean); };
  const float variance = sum_of_row(x, cols, mean, square, [](Index) {}) / count;
  return {mean, 1 / __builtin_sqrtf(variance + epsilon)};
}

inline Vec normalised(const Moments& of, Vec x, Vec gamma, Vec beta) {
  return (x - of.mean) * of.scale * gamma + beta;
}

// The results of a row from element `begin` on.
template <bool past>
inline void write_normalised(const Normalisation& given, const Moments& of, const float* x, float* y,
                             Index begin, Index cols) {
  write<past>(y + begin, cols - begin, [&](const auto& where) {
    return normalised(of, where(x + begin), where(given.gamma + begin), where(given.beta + begin));
  });
}

void layernorm_rows(const Rows& share, const Normalisation& given) {
  const Index cols = share.cols;
  if (!share.past || cols % kLine != 0) {
    write_rows(share, [&](Index r, float* to, auto past) {
      const float* const x = share.x + r * cols;
      const Moments of = moments_of(x, cols, given.epsilon, [](Index) {});
      write_normalised<past>(given, of, x, to, 0, cols);
    });
    return;
  }
  Moments before{};
  for (Index r = 0; r <= share.rows; ++r) {
    const float* const x = share.x + r * cols;
    const Index behind = r > 0 ? (r - 1) * cols : 0;
    const float* const written = share.x + behind;
    float* const y = share.y + behind;
    if (r == 0) {
      before = moments_of(x, cols, given.epsilon, [](Index) {});
    } else if (r == share.rows) {
      write_normalised<true>(given, before, written, y, 0, cols);
    } else {
      const Moments of = moments_of(
          x, cols, given.epsilon, [&](Index i) __attribute__((always_inline)) {
            for (Index j = i; j < i + kAtOnce; j += kLanes)
              store_past(y + j, normalised(before, load(written + j), load(given.gamma + j),
                                           load(given.beta + j)));
          });
      write_normalised<true>(given, before, written, y, cols / kAtOnce * kAtOnce, cols);
      before = of;
    }
  }
  end_of_stores_past();
}

}  // namespace
}  // namespace kernsweep::memory_bound
