#include <cstring>

#include "kernels/cpu/stream/stream.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

// One function body, compiled for several instruction sets; the loader chooses. Not with a sanitizer, whose
// run-time library is not initialised when the loader calls the resolver, nor with clang, which has no such
// attribute before version 14, and other rules since.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(KERNSWEEP_SANITIZED)
#define KERNSWEEP_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define KERNSWEEP_CLONES
#endif

namespace kernsweep::stream {
namespace {

constexpr std::int64_t kLineBytes = 64;

template <class T>
struct Arrays {
  const T* x;
  const T* y;
  T* z;
};

template <Op op, class T>
[[gnu::always_inline]] inline T element(const Arrays<T>& arrays, std::int64_t i) {
  constexpr T q = static_cast<T>(kScalar);
  if constexpr (op == Op::copy) return arrays.x[i];
  if constexpr (op == Op::scale) return q * arrays.x[i];
  if constexpr (op == Op::add) return arrays.x[i] + arrays.y[i];
  if constexpr (op == Op::triad) return arrays.x[i] + q * arrays.y[i];
}

template <Op op, class T>
[[gnu::always_inline]] inline void store(const Arrays<T>& arrays, std::int64_t begin, std::int64_t end) {
  T* __restrict z = arrays.z;
  for (std::int64_t i = begin; i < end; ++i) z[i] = element<op>(arrays, i);
}

// Only whole lines are streamed: a line that is partly written must be read first, and streaming such a
// line is far slower than a normal store.
template <Op op, class T>
[[gnu::always_inline]] inline void stream(const Arrays<T>& arrays, std::int64_t begin, std::int64_t end) {
#if defined(__x86_64__)
  constexpr std::int64_t line = kLineBytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t last = begin + (end - begin) / line * line;
  for (std::int64_t i = begin; i < last; i += line) {
    alignas(64) T results[line];
    for (std::int64_t j = 0; j < line; ++j) results[j] = element<op>(arrays, i + j);
    for (std::int64_t j = 0; j < 4; ++j) {
      __m128i quarter;
      std::memcpy(&quarter, reinterpret_cast<const char*>(results) + 16 * j, sizeof quarter);
      _mm_stream_si128(reinterpret_cast<__m128i*>(arrays.z + i) + j, quarter);
    }
  }
  store<op>(arrays, last, end);
  _mm_sfence();
#else
  store<op>(arrays, begin, end);
#endif
}

template <class T>
[[gnu::always_inline]] inline void dispatch(const Problem& problem, const Arrays<T>& arrays,
                                            std::int64_t begin, std::int64_t end) {
  const bool past = problem.non_temporal;
  switch (problem.op) {
    case Op::copy:
      return past ? stream<Op::copy>(arrays, begin, end) : store<Op::copy>(arrays, begin, end);
    case Op::scale:
      return past ? stream<Op::scale>(arrays, begin, end) : store<Op::scale>(arrays, begin, end);
    case Op::add:
      return past ? stream<Op::add>(arrays, begin, end) : store<Op::add>(arrays, begin, end);
    case Op::triad:
      return past ? stream<Op::triad>(arrays, begin, end) : store<Op::triad>(arrays, begin, end);
  }
}

KERNSWEEP_CLONES void compute_f64(const Problem& problem, const Arrays<double>& arrays, std::int64_t begin,
                                  std::int64_t end) {
  dispatch(problem, arrays, begin, end);
}

KERNSWEEP_CLONES void compute_f32(const Problem& problem, const Arrays<float>& arrays, std::int64_t begin,
                                  std::int64_t end) {
  dispatch(problem, arrays, begin, end);
}

}  // namespace

void compute(const Problem& problem, const void* x, const void* y, void* z, std::int64_t begin,
             std::int64_t end) {
  if (problem.dtype == KS_F64) {
    compute_f64(problem,
                {static_cast<const double*>(x), static_cast<const double*>(y), static_cast<double*>(z)},
                begin, end);
  } else {
    compute_f32(problem,
                {static_cast<const float*>(x), static_cast<const float*>(y), static_cast<float*>(z)}, begin,
                end);
  }
}

bool has_non_temporal_stores() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

}  // namespace kernsweep::stream
