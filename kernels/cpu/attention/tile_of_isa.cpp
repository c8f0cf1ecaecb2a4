// The tiles, compiled for each instruction set: of_isa.hpp.
#include "kernels/cpu/attention/lanes.hpp"
#include "kernels/cpu/attention/tile.hpp"
#include "kernels/cpu/libraries/of_isa.hpp"

namespace kernsweep::attention {
namespace {

using L = Lanes;
using Vector = L::Vector;
using LooseVector = L::LooseVector;
constexpr int kVectors = 2;
// Keys, or elements of a head, per register tile.
constexpr int kPositions = KERNSWEEP_VECTOR_BYTES == 64 ? 14 : 6;
constexpr float kMinusInfinity = -__builtin_inff();

struct Pair {
  Vector of[kVectors];
};

// to[p] = sum over i < count of scalars[p step + i next] lanes[i], plus to[p] times `factor` if `add`; p <
// positions.
template <int positions, bool add>
inline void multiply(std::int64_t count, const float* scalars, std::int64_t step, std::int64_t next,
                     const Pair* lanes, const Pair& factor, Pair* to) {
  Vector sums[positions][kVectors] = {};
  if constexpr (add) {
#pragma GCC unroll 14
    for (int p = 0; p < positions; ++p)
      for (int v = 0; v < kVectors; ++v) sums[p][v] = to[p].of[v] * factor.of[v];
  }
  for (std::int64_t i = 0; i < count; ++i, scalars += next, ++lanes) {
    const Vector low = lanes->of[0];
    const Vector high = lanes->of[1];
#pragma GCC unroll 14
    for (int p = 0; p < positions; ++p) {
      const float x = scalars[p * step];
      sums[p][0] += x * low;
      sums[p][1] += x * high;
    }
  }
#pragma GCC unroll 14
  for (int p = 0; p < positions; ++p)
    for (int v = 0; v < kVectors; ++v) to[p].of[v] = sums[p][v];
}

using Multiply = void (*)(std::int64_t count, const float* scalars, std::int64_t step, const Pair* lanes,
                          const Pair& factor, Pair* to);

// Scores: the scalars of a key are adjacent, those of the next key are `step` away.
template <int positions>
void score(std::int64_t count, const float* scalars, std::int64_t step, const Pair* lanes, const Pair& one,
           Pair* to) {
  multiply<positions, false>(count, scalars, step, 1, lanes, one, to);
}

// Sums of values: those of one key are adjacent, the next key's are `next` away.
template <int positions>
void gather(std::int64_t count, const float* scalars, std::int64_t next, const Pair* lanes,
            const Pair& factor, Pair* to) {
  multiply<positions, true>(count, scalars, 1, next, lanes, factor, to);
}

struct ByPositions {
  Multiply of[kPositions + 1];
};
template <int positions>
constexpr void fill(ByPositions& scores, ByPositions& gathers) {
  scores.of[positions] = score<positions>;
  gathers.of[positions] = gather<positions>;
  if constexpr (positions > 1) fill<positions - 1>(scores, gathers);
}
struct Multiplies {
  ByPositions scores, gathers;
};
constexpr Multiplies make_multiplies() {
  Multiplies out{};
  fill<kPositions>(out.scores, out.gathers);
  return out;
}
constexpr Multiplies kMultiplies = make_multiplies();

// Calls body(first, count) for runs of at most kPositions of `all` that differ by at most one in size,
// because a narrow last one would wait for its sums.
template <class Body>
inline void in_runs(std::int64_t all, const Body& body) {
  const std::int64_t runs = (all + kPositions - 1) / kPositions;
  std::int64_t first = 0;
  for (std::int64_t run = 0; run < runs; ++run) {
    const std::int64_t beyond = all * (run + 1) / runs;
    body(first, beyond - first);
    first = beyond;
  }
}

void attend(const Tile& tile) {
  const auto* queries = reinterpret_cast<const Pair*>(tile.queries);
  const auto* keys = static_cast<const float*>(tile.k);
  const auto* values = static_cast<const float*>(tile.v);
  auto* scores = reinterpret_cast<Pair*>(tile.scores);
  auto* sums = reinterpret_cast<Pair*>(tile.state.sums);
  auto& largest = *reinterpret_cast<Pair*>(tile.state.largest);
  auto& total = *reinterpret_cast<Pair*>(tile.state.total);
  in_runs(tile.keys, [&](std::int64_t first, std::int64_t count) {
    kMultiplies.scores.of[count](tile.depth, keys + first * tile.depth, tile.depth, queries, largest,
                                 scores + first);
  });
  if (tile.seen != nullptr) {
    for (int v = 0; v < kVectors; ++v) {
      const auto seen = *reinterpret_cast<const L::IntVector*>(tile.seen + v * L::kCount);
      for (std::int64_t j = 0; j < tile.keys; ++j)
        scores[j].of[v] = seen > static_cast<std::int32_t>(j) ? scores[j].of[v] : Vector{} + kMinusInfinity;
    }
  }
  Pair factor;
  for (int v = 0; v < kVectors; ++v) {
    Vector top = largest.of[v];
    for (std::int64_t j = 0; j < tile.keys; ++j) top = L::max(scores[j].of[v], top);
    factor.of[v] = L::exp2(largest.of[v] - top);
    largest.of[v] = top;
    Vector sum = {};
    for (std::int64_t j = 0; j < tile.keys; ++j) {
      scores[j].of[v] = L::exp2(scores[j].of[v] - top);
      sum += scores[j].of[v];
    }
    total.of[v] = total.of[v] * factor.of[v] + sum;
  }
  in_runs(tile.depth, [&](std::int64_t first, std::int64_t count) {
    kMultiplies.gathers.of[count](tile.keys, values + first, tile.depth, scores, factor, sums + first);
  });
}

// The first L::kCount elements or fewer, with `rest` in the remaining lanes.
inline Vector load_some(const float* from, std::int64_t count, float rest) {
  Vector out = Vector{} + rest;
  for (std::int64_t i = 0; i < count; ++i) out[i] = from[i];
  return out;
}

inline void store(Vector vector, float* to) {
  *reinterpret_cast<LooseVector*>(to) = vector;
}

inline float largest_of(Vector v) {
  float out = v[0];
  for (int i = 1; i < L::kCount; ++i) out = v[i] > out ? v[i] : out;
  return out;
}

void softmax(float* row, std::int64_t seen, std::int64_t count, float scale) {
  const float by = scale * 0x1.715476p0F;  // log2(e)
  const std::int64_t whole = seen / L::kCount * L::kCount;
  Vector tops = load_some(row + whole, seen - whole, kMinusInfinity);
  for (std::int64_t i = 0; i < whole; i += L::kCount) tops = L::max(L::load(row + i), tops);
  const float largest = by * largest_of(tops);
  const Vector last = L::exp2(by * load_some(row + whole, seen - whole, kMinusInfinity) - largest);
  Vector totals = last;
  for (std::int64_t i = 0; i < whole; i += L::kCount) {
    const Vector weight = L::exp2(by * L::load(row + i) - largest);
    totals += weight;
    store(weight, row + i);
  }
  const float inverse = seen > 0 ? 1 / L::sum(totals) : 0;
  for (std::int64_t i = 0; i < whole; i += L::kCount) store(inverse * L::load(row + i), row + i);
  for (std::int64_t i = whole; i < seen; ++i) row[i] = inverse * last[i - whole];
  for (std::int64_t i = seen; i < count; ++i) row[i] = 0;
}

// Registers for sums of few rows: half of them, at least.
constexpr int kFewSums = KERNSWEEP_VECTOR_BYTES == 64 ? 16 : 8;
constexpr int kFewRows = 4;

// Scores of `rows` queries and `keys` keys.
template <int rows, int keys, class T>
inline void score_few(std::int64_t depth, const float* queries, const T* k, float* scores,
                      std::int64_t pitch) {
  constexpr int kGroups = (rows * keys + L::kCount - 1) / L::kCount;
  Vector sums[kGroups][L::kCount] = {};
  const std::int64_t whole = depth / L::kCount * L::kCount;
#pragma GCC unroll 16
  for (int j = 0; j < keys; ++j) {  // key by key, in memory order
    Vector sum[rows] = {};
    for (std::int64_t t = 0; t < whole; t += L::kCount) {
      const Vector key = L::load(k + j * depth + t);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) sum[r] += L::load(queries + r * depth + t) * key;
    }
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) sums[(r * keys + j) / L::kCount][(r * keys + j) % L::kCount] = sum[r];
  }
  float all[kGroups * L::kCount];
#pragma GCC unroll 4
  for (int group = 0; group < kGroups; ++group) store(L::sums(sums[group]), all + group * L::kCount);
  for (int r = 0; r < rows; ++r)
    for (int j = 0; j < keys; ++j) {
      float& sum = all[r * keys + j];
      for (std::int64_t t = whole; t < depth; ++t)
        sum += queries[r * depth + t] * L::load_one(k + j * depth + t);
      scores[r * pitch + j] = sum;
    }
}

// to[r][t] = factor[r] to[r][t] + the sum over the keys of weights[r][j] v[j][t], for `vectors` vectors of
// t.
template <int rows, int vectors, class T>
inline void gather_few(std::int64_t depth, std::int64_t keys, const float* weights, std::int64_t pitch,
                       const T* v, const float* factor, float* to) {
  Vector sums[rows][vectors];
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < vectors; ++i) sums[r][i] = factor[r] * L::load(to + r * depth + i * L::kCount);
  for (std::int64_t j = 0; j < keys; ++j, v += depth) {
#pragma GCC unroll 16
    for (int i = 0; i < vectors; ++i) {
      const Vector value = L::load(v + i * L::kCount);
#pragma GCC unroll 4
      for (int r = 0; r < rows; ++r) sums[r][i] += weights[r * pitch + j] * value;
    }
  }
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < vectors; ++i) store(sums[r][i], to + r * depth + i * L::kCount);
}

// The same for all whole vectors from element `t` on, as many at once as fit. Returns the end.
template <int rows, int vectors, class T>
inline std::int64_t gather_whole(const Tile& tile, const T* v, std::int64_t t, const float* weights,
                                 const float* factor, float* to) {
  for (; t + vectors * L::kCount <= tile.depth; t += vectors * L::kCount)
    gather_few<rows, vectors>(tile.depth, tile.keys, weights, scores_of(1, tile.keys), v + t, factor,
                              to + t);
  if constexpr (vectors > 1) t = gather_whole<rows, vectors / 2>(tile, v, t, weights, factor, to);
  return t;
}

template <int rows, class T>
void attend_rows(const Tile& tile, std::int64_t first) {
  constexpr int kAtOnce = kFewSums / rows;
  const std::int64_t depth = tile.depth, keys = tile.keys, pitch = scores_of(1, keys);
  const float* const queries = tile.queries + first * depth;
  const auto* const k = static_cast<const T*>(tile.k);
  const auto* const v = static_cast<const T*>(tile.v);
  float* const scores = tile.scores + first * pitch;
  std::int64_t j = 0;
  for (; j + kAtOnce <= keys; j += kAtOnce)
    score_few<rows, kAtOnce>(depth, queries, k + j * depth, scores + j, pitch);
  for (; j < keys; ++j) score_few<rows, 1>(depth, queries, k + j * depth, scores + j, pitch);
  float factor[rows];
  for (int r = 0; r < rows; ++r) {
    float* const row = scores + r * pitch;
    for (std::int64_t i = tile.seen != nullptr ? tile.seen[first + r] : keys; i < pitch; ++i)
      row[i] = kMinusInfinity;
    float& largest = tile.state.largest[first + r];
    Vector tops = Vector{} + largest;
    for (std::int64_t i = 0; i < pitch; i += L::kCount) tops = L::max(L::load(row + i), tops);
    const float top = largest_of(tops);
    factor[r] = L::exp2(Vector{} + (largest - top))[0];
    largest = top;
    Vector totals = {};
    for (std::int64_t i = 0; i < pitch; i += L::kCount) {
      const Vector weight = L::exp2(L::load(row + i) - top);
      totals += weight;
      store(weight, row + i);
    }
    float& total = tile.state.total[first + r];
    total = total * factor[r] + L::sum(totals);
  }
  float* const sums = tile.state.sums + first * depth;
  std::int64_t t = gather_whole<rows, kFewSums / rows>(tile, v, 0, scores, factor, sums);
  for (; t < depth; ++t)
    for (int r = 0; r < rows; ++r) {
      float sum = factor[r] * sums[r * depth + t];
      for (j = 0; j < keys; ++j) sum += scores[r * pitch + j] * L::load_one(v + j * depth + t);
      sums[r * depth + t] = sum;
    }
}

template <class T>
void attend_few(const Tile& tile) {
  std::int64_t first = 0;
  for (; first + kFewRows <= tile.rows; first += kFewRows) attend_rows<kFewRows, T>(tile, first);
  if (tile.rows - first == 3) attend_rows<3, T>(tile, first);
  if (tile.rows - first == 2) attend_rows<2, T>(tile, first);
  if (tile.rows - first == 1) attend_rows<1, T>(tile, first);
}

void widen(const std::uint16_t* from, std::int64_t count, float* to) {
  std::int64_t i = 0;
  for (; i + L::kCount <= count; i += L::kCount) store(L::load(from + i), to + i);
  for (; i < count; ++i) to[i] = L::load_one(from + i);
}

}  // namespace

constinit const TileKernels KERNSWEEP_OF_ISA(kTile) = {
    KERNSWEEP_ISA, kVectors* L::kCount, attend, attend_few<float>, attend_few<std::uint16_t>, softmax,
    widen};

}  // namespace kernsweep::attention
