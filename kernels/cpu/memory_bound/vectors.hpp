// Vectors of floats for one instruction set; included by loops_of_isa.cpp only.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kernsweep::memory_bound {
namespace {

using Index = std::int64_t;

constexpr Index kLanes = KERNSWEEP_VECTOR_BYTES / 4;
constexpr Index kLine = 16;            // floats in a line of 64 bytes
constexpr Index kAtOnce = 4 * kLanes;  // floats in four vectors
constexpr float kInfinity = std::numeric_limits<float>::infinity();

typedef float Vec __attribute__((vector_size(KERNSWEEP_VECTOR_BYTES)));
typedef std::int32_t IntVec __attribute__((vector_size(KERNSWEEP_VECTOR_BYTES)));
typedef float UnalignedVec __attribute__((vector_size(KERNSWEEP_VECTOR_BYTES), aligned(4), may_alias));

inline Vec load(const float* from) {
  return *reinterpret_cast<const UnalignedVec*>(from);
}
inline void store(float* to, Vec v) {
  *reinterpret_cast<UnalignedVec*>(to) = v;
}
inline Vec all(float value) {
  return Vec{} + value;
}
inline Vec larger(Vec a, Vec b) {
#if defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 64
  return reinterpret_cast<Vec>(  // gcc 12 warns of _mm512_max_ps (bug 105593)
      _mm512_maskz_max_ps(0xffff, reinterpret_cast<__m512>(a), reinterpret_cast<__m512>(b)));
#elif defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 32
  return reinterpret_cast<Vec>(_mm256_max_ps(reinterpret_cast<__m256>(a), reinterpret_cast<__m256>(b)));
#else
  return a > b ? a : b;
#endif
}

inline float larger(float a, float b) {
  return a > b ? a : b;
}

// The first `count` lanes, 0 to kLanes; `rest` in the others. Touches nothing beyond.
#if defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 64
inline Vec load_part(const float* from, Index count, float rest) {
  const auto mask = static_cast<__mmask16>((1U << count) - 1);
  return reinterpret_cast<Vec>(_mm512_mask_loadu_ps(_mm512_set1_ps(rest), mask, from));
}
inline void store_part(float* to, Vec v, Index count) {
  _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1), reinterpret_cast<__m512>(v));
}
#elif defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 32
inline IntVec first_lanes(Index count) {
  return IntVec{0, 1, 2, 3, 4, 5, 6, 7} < static_cast<std::int32_t>(count);
}
inline Vec load_part(const float* from, Index count, float rest) {
  const IntVec mask = first_lanes(count);
  const auto loaded = reinterpret_cast<Vec>(_mm256_maskload_ps(from, reinterpret_cast<__m256i>(mask)));
  return mask ? loaded : all(rest);
}
inline void store_part(float* to, Vec v, Index count) {
  _mm256_maskstore_ps(to, reinterpret_cast<__m256i>(first_lanes(count)), reinterpret_cast<__m256>(v));
}
#else
inline Vec load_part(const float* from, Index count, float rest) {
  Vec v = all(rest);
  for (Index i = 0; i < count; ++i) v[i] = from[i];
  return v;
}
inline void store_part(float* to, Vec v, Index count) {
  for (Index i = 0; i < count; ++i) to[i] = v[i];
}
#endif

// Stores past the caches. `to` is aligned to the vector, and its whole line is written in order.
inline void store_past(float* to, Vec v) {
#if defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 64
  _mm512_stream_ps(to, reinterpret_cast<__m512>(v));
#elif defined(__x86_64__) && KERNSWEEP_VECTOR_BYTES == 32
  _mm256_stream_ps(to, reinterpret_cast<__m256>(v));
#elif defined(__x86_64__)
  _mm_stream_ps(to, reinterpret_cast<__m128>(v));
#else
  store(to, v);
#endif
}
// Must be called after stores past the caches, before another thread is informed that they are done.
inline void end_of_stores_past() {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

// The source of a vector of elements: whole, or the `count` remaining elements at an edge, where the other
// lanes are `rest`.
struct Whole {
  Index at;
  Vec operator()(const float* from, float = 0) const { return load(from + at); }
};
struct Part {
  Index at, count;
  Vec operator()(const float* from, float rest = 0) const { return load_part(from + at, count, rest); }
};

// Elements before the first whole line of y, `count` at most.
inline Index until_line(const float* y, Index count) {
  const auto over = static_cast<Index>(reinterpret_cast<std::uintptr_t>(y) / sizeof(float)) % kLine;
  return over == 0 ? 0 : kLine - over < count ? kLine - over : count;
}

// Sets y[i] for i = 0 ... count-1 to compute(where), a vector of results for Whole and Part alike. With
// `past` all whole lines of y are stored past the caches, and the rest of it plainly.
template <bool past, class Compute>
[[gnu::always_inline]] inline void write(float* y, Index count, const Compute& compute) {
  const auto plain_until = [&](Index i, Index end) __attribute__((always_inline)) {
    for (; i + kLanes <= end; i += kLanes) store(y + i, compute(Whole{i}));
    if (i < end) store_part(y + i, compute(Part{i, end - i}), end - i);
  };
  if constexpr (!past) {
    plain_until(0, count);
  } else {
    const Index first = until_line(y, count);
    const Index last = first + (count - first) / kLine * kLine;
    plain_until(0, first);
    for (Index i = first; i < last; i += kLanes) store_past(y + i, compute(Whole{i}));
    plain_until(last, count);
  }
}

// Calls row(r, to, past) for each row, which writes the row's `cols` results to `to`. `past` is a constant
// of the type. With `past`, results of rows that is_staged() selects are computed in `stage` and stored
// from there.
template <class Row>
inline void write_rows(const Rows& share, const Row& row) {
  constexpr std::false_type plain{};
  if (!share.past) {
    for (Index r = 0; r < share.rows; ++r) row(r, share.y + r * share.cols, plain);
    return;
  }
  if (!is_staged(share.cols)) {
    for (Index r = 0; r < share.rows; ++r) row(r, share.y + r * share.cols, std::true_type{});
  } else {
    const Index at_once = kStageElements / share.cols;
    for (Index first = 0; first < share.rows; first += at_once) {
      const Index now = share.rows - first < at_once ? share.rows - first : at_once;
      for (Index r = 0; r < now; ++r) row(first + r, share.scratch + r * share.cols, plain);
      write<true>(share.y + first * share.cols, now * share.cols,
                  [&](const auto& where) { return where(share.scratch); });
    }
  }
  end_of_stores_past();
}

// The same for all of y, with or without stores past the caches.
template <class Compute>
inline void write_all(const Elements& e, const Compute& compute) {
  if (!e.past) return write<false>(e.y, e.count, compute);
  write<true>(e.y, e.count, compute);
  end_of_stores_past();
}

// The join of the lanes of four vectors, by `join` of two vectors or two floats.
template <class Join>
inline float across(const Vec (&parts)[4], const Join& join) {
  float lanes[kLanes];
  store(lanes, join(join(parts[0], parts[1]), join(parts[2], parts[3])));
  for (Index half = kLanes / 2; half > 0; half /= 2)
    for (Index i = 0; i < half; ++i) lanes[i] = join(lanes[i], lanes[i + half]);
  return lanes[0];
}

// exp(x) for x from -87.3 to 88.3, relative error below 2^-23 (tests/kernels/memory_bound checks it). x = n
// ln 2 + r with |r| <= ln(2) / 2; adding 1.5 2^23 puts n into the last bits; n ln 2 is subtracted in two
// steps (Cody and Waite, "Software Manual for the Elementary Functions", 1980), the first of them exact.
// exp(r) is a minimax polynomial of degree 6 that begins with 1 + r, relative error 2^-28.
inline Vec exp_of(Vec x) {
  const Vec shifted = x * 1.44269504f + 0x1.8p23f;
  const Vec n = shifted - 0x1.8p23f;
  const Vec r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  Vec p = all(0x1.6a23d0p-10f);
  p = p * r + 0x1.123a20p-7f;
  p = p * r + 0x1.5558f2p-5f;
  p = p * r + 0x1.555492p-3f;
  p = p * r + 0x1.fffffcp-2f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return reinterpret_cast<Vec>(reinterpret_cast<IntVec>(p) + (reinterpret_cast<IntVec>(shifted) << 23));
}

// exp of any x: 0 where it is below 2^-126, infinity where it is above the largest float.
inline Vec exp_of_any(Vec x) {
  const Vec inside = x < -87.33654f ? Vec{} : exp_of(x);
  return x > 88.72283f ? all(kInfinity) : inside;
}

// x / (1 + exp(-v)) with v = 2 sqrt(2 / pi) (x + 0.044715 x^3): the same as x / 2 (1 + tanh(v / 2)),
// without its cancellation below 0.
inline Vec gelu_of(Vec x) {
  return x / (1.0f + exp_of_any(x * (x * x * -0.0713548163f - 1.59576912f)));
}

}  // namespace
}  // namespace kernsweep::memory_bound
