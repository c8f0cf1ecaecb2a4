// softmax of rows; included by loops_of_isa.cpp only.
//
// A row is read once, block by block: the largest element so far, then exponentials relative to that, which
// are kept, and their sum, which is rescaled whenever the largest grows (Milakov and Gimelshein, "Online
// normalizer calculation for softmax", 2018). In the end each block has a factor of its own.
#pragma once

namespace kernsweep::memory_bound {
namespace {

// 2^t for t <= 0, relative error below 4 2^-24; 0 for t below -149, and may be 0 for t below -126. The
// polynomial is that of degree 5 for exp (see exp_of), relative error 1.8 2^-24, in t ln 2.
inline Vec exp2_below(Vec t) {
  const Vec bounded = larger(t, all(-200.0f));
  const Vec shifted = bounded + 0x1.8p23f;
  const Vec n = shifted - 0x1.8p23f;
  const Vec f = bounded - n;
  Vec p = all(0x1.5ca84ep-10f);
  p = p * f + 0x1.3cdbd0p-7f;
  p = p * f + 0x1.c6b3b0p-5f;
  p = p * f + 0x1.ebf9f0p-3f;
  p = p * f + 0x1.62e430p-1f;
  p = p * f + 1.0f;
#if defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 64
  return reinterpret_cast<Vec>(
      _mm512_maskz_scalef_ps(0xffff, reinterpret_cast<__m512>(p), reinterpret_cast<__m512>(n)));
#else
  const IntVec scaled = reinterpret_cast<IntVec>(p) + (reinterpret_cast<IntVec>(shifted) << 23);
  return bounded < -126.0f ? Vec{} : reinterpret_cast<Vec>(scaled);
#endif
}

inline Vec exp_below(Vec x, float top) {
  return exp2_below((x - top) * 1.44269504f);
}

inline float largest(const float* x, Index count) {
  Vec best[4] = {all(-kInfinity), all(-kInfinity), all(-kInfinity), all(-kInfinity)};
  Index i = 0;
  for (; i + kAtOnce <= count; i += kAtOnce)
    for (Index k = 0; k < 4; ++k) best[k] = larger(best[k], load(x + i + k * kLanes));
  for (; i < count; i += kLanes)
    best[0] = larger(best[0], load_part(x + i, count - i < kLanes ? count - i : kLanes, -kInfinity));
  return across(best, [](auto a, auto b) { return larger(a, b); });
}

// One row; `factors` has an element for each block.
struct SoftmaxRow {
  const float* x;
  Index cols;
  float* kept;
  float* factors;
  float top = -std::numeric_limits<float>::max();
  Vec sum = {};

  Index length_at(Index begin) const { return cols - begin < kSoftmaxBlock ? cols - begin : kSoftmaxBlock; }

  // Processes the block that begins at `begin`.
  void block(Index begin) {
    const Index count = length_at(begin);
    const float* const from = x + begin;
    float* const to = kept + begin;
    const float here = largest(from, count);
    if (here > top) {
      sum *= exp_below(all(top), here);
      top = here;
    }
    factors[begin / kSoftmaxBlock] = top;
    Vec sums[4] = {};
    Index i = 0;
    for (; i + kAtOnce <= count; i += kAtOnce) {
      for (Index k = 0; k < 4; ++k) {
        const Index at = i + k * kLanes;
        const Vec e = exp_below(load(from + at), top);
        store(to + at, e);
        sums[k] += e;
      }
    }
    for (; i < count; i += kLanes) {
      const Index left = count - i < kLanes ? count - i : kLanes;
      const Vec e = exp_below(load_part(from + i, left, -kInfinity), top);
      store_part(to + i, e, left);
      sums[0] += e;
    }
    sum += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  // Replaces what block() has left in `factors`.
  void finish() {
    const Vec parts[4] = {sum, {}, {}, {}};
    const float whole = across(parts, [](auto a, auto b) { return a + b; });
    for (Index b = 0; b * kSoftmaxBlock < cols; ++b)
      factors[b] = exp_below(all(factors[b]), top)[0] / whole;
  }
};

void softmax_rows(const Rows& share) {
  float* const factors = share.scratch;
  float* const room = share.scratch + softmax_factors(share.cols);
  write_rows({share.x, share.y, share.rows, share.cols, room, share.past},
             [&](Index r, float* to, auto past) {
               SoftmaxRow row{share.x + r * share.cols, share.cols, past ? room : to, factors};
               for (Index begin = 0; begin < row.cols; begin += kSoftmaxBlock) row.block(begin);
               row.finish();
               for (Index begin = 0; begin < row.cols; begin += kSoftmaxBlock) {
                 const float factor = factors[begin / kSoftmaxBlock];
                 const float* const kept = row.kept + begin;
                 write<past>(to + begin, row.length_at(begin),
                             [&](const auto& where) { return where(kept) * factor; });
               }
             });
}

}  // namespace
}  // namespace kernsweep::memory_bound
