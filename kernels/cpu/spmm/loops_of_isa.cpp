// The loops, compiled for each instruction set: of_isa.hpp.
#include "kernels/cpu/libraries/of_isa.hpp"
#include "kernels/cpu/spmm/loops.hpp"

namespace kernsweep::spmm {
namespace {

using Index = std::int64_t;
// Vectors of a strip for one row, whose sums fit into the registers together with one of B; and for four
// rows.
constexpr int kRowVectors = KERNSWEEP_VECTOR_BYTES == 64 ? 8 : 4;
constexpr int kBlockVectors = KERNSWEEP_VECTOR_BYTES == 64 ? 4 : 2;
constexpr Index kLanes = KERNSWEEP_VECTOR_BYTES / 4;
typedef float Vec __attribute__((vector_size(KERNSWEEP_VECTOR_BYTES)));
typedef float UnalignedVec __attribute__((vector_size(KERNSWEEP_VECTOR_BYTES), aligned(4), may_alias));

inline Vec load(const float* from) {
  return *reinterpret_cast<const UnalignedVec*>(from);
}
inline void store(float* to, Vec v) {
  *reinterpret_cast<UnalignedVec*>(to) = v;
}

template <int n>
struct Count {
  static constexpr int value = n;
};

// A product can be added to a sum only every few cycles, so with few sums the processor waits. Then the
// elements of a row are added up in several sets of sums, which are added in the end.
constexpr int sets_of(int vectors) {
  return vectors >= 8 ? 1 : vectors >= 4 ? 2 : 4;
}

// How far ahead a row of B is prefetched: rows are visited in an order that no hardware prefetcher
// predicts.
constexpr Index kAhead = 8;

// Columns [column, column + vectors * kLanes) of all rows.
template <int vectors>
void csr_strip(const CsrRows& rows, Index column) {
  const float* const b = rows.b + column;
  for (Index i = rows.first; i < rows.last; ++i) {
    constexpr int kSets = sets_of(vectors);
    Vec sums[kSets][vectors] = {};
    const Index end = rows.begins[i + 1];
    const auto add = [&](Index p, Vec* into) {
      const Index later = p + kAhead < end ? p + kAhead : end - 1;
      const float* const soon = b + rows.columns[later] * rows.n;
      const float* const from = b + rows.columns[p] * rows.n;
      const float value = rows.values[p];
#pragma GCC unroll 8
      for (int v = 0; v < vectors; ++v) {
        if (v % (64 / KERNSWEEP_VECTOR_BYTES) == 0) __builtin_prefetch(soon + v * kLanes);
        into[v] += value * load(from + v * kLanes);
      }
    };
    Index p = rows.begins[i];
    for (; p + kSets <= end; p += kSets) {
#pragma GCC unroll 4
      for (int s = 0; s < kSets; ++s) add(p + s, sums[s]);
    }
    for (; p < end; ++p) add(p, sums[0]);
    float* const to = rows.y + i * rows.n + column;
#pragma GCC unroll 8
    for (int v = 0; v < vectors; ++v) {
#pragma GCC unroll 4
      for (int s = 1; s < kSets; ++s) sums[0][v] += sums[s][v];
      store(to + v * kLanes, sums[0][v]);
    }
  }
}

// For matrices with fewer columns than a vector has: narrower vectors. Two of them cover all columns of a
// row, where the second one may overlap the first; below four columns one by one.
struct Four {
  typedef float Value __attribute__((vector_size(16)));
  typedef float Unaligned __attribute__((vector_size(16), aligned(4), may_alias));
};
struct Eight {
  typedef float Value __attribute__((vector_size(32)));
  typedef float Unaligned __attribute__((vector_size(32), aligned(4), may_alias));
};

template <class V>
class PairOfSums {
 public:
  explicit PairOfSums(Index columns)
      : last_(columns - static_cast<Index>(sizeof(typename V::Value) / sizeof(float))) {}
  void add(float value, const float* from) {
    first_sum_ += value * at(from);
    last_sum_ += value * at(from + last_);
  }
  void add(const PairOfSums& others) {
    first_sum_ += others.first_sum_;
    last_sum_ += others.last_sum_;
  }
  void store_to(float* to) const {
    *reinterpret_cast<typename V::Unaligned*>(to) = first_sum_;
    *reinterpret_cast<typename V::Unaligned*>(to + last_) = last_sum_;
  }

 private:
  static typename V::Value at(const float* from) {
    return *reinterpret_cast<const typename V::Unaligned*>(from);
  }
  Index last_;
  typename V::Value first_sum_{}, last_sum_{};
};

template <int n>
class FewSums {
 public:
  explicit FewSums(Index) {}
  void add(float value, const float* from) {
    for (int c = 0; c < n; ++c) sums_[c] += value * from[c];
  }
  void add(const FewSums& others) {
    for (int c = 0; c < n; ++c) sums_[c] += others.sums_[c];
  }
  void store_to(float* to) const {
    for (int c = 0; c < n; ++c) to[c] = sums_[c];
  }

 private:
  float sums_[n] = {};
};

// Calls compute(sums) with sums of 0 for a row with this number of columns, fewer than kLanes.
template <class Compute>
inline void of_narrow(Index columns, const Compute& compute) {
  if (columns == 1) return compute(FewSums<1>(columns));
  if (columns == 2) return compute(FewSums<2>(columns));
  if (columns == 3) return compute(FewSums<3>(columns));
  if constexpr (kLanes > 8)
    if (columns >= 8) return compute(PairOfSums<Eight>(columns));
  if constexpr (kLanes > 4)
    if (columns >= 4) return compute(PairOfSums<Four>(columns));
}

template <class Sums>
void csr_narrow(const CsrRows& rows, const Sums& zeros) {
  for (Index i = rows.first; i < rows.last; ++i) {
    Sums sums[4] = {zeros, zeros, zeros, zeros};
    const auto add = [&](Index p, Sums& into) {
      into.add(rows.values[p], rows.b + rows.columns[p] * rows.n);
    };
    const Index end = rows.begins[i + 1];
    Index p = rows.begins[i];
    for (; p + 4 <= end; p += 4) {
#pragma GCC unroll 4
      for (int s = 0; s < 4; ++s) add(p + s, sums[s]);
    }
    for (; p < end; ++p) add(p, sums[0]);
    for (int s = 1; s < 4; ++s) sums[0].add(sums[s]);
    sums[0].store_to(rows.y + i * rows.n);
  }
}

// Calls strip(count, column) for strips of at most `most` vectors that cover all n columns, n at least
// kLanes. `count` is a constant of its type. The last strip may overlap the one before, whose columns then
// get the same bits again.
template <int most, class Strip>
inline void each_strip(Index n, const Strip& strip) {
  Index column = 0;
  for (; column + most * kLanes <= n; column += most * kLanes) strip(Count<most>{}, column);
  if (column == n) return;
  if constexpr (most > 1) {
    constexpr int half = most / 2;
    const Index vectors = (n - column + kLanes - 1) / kLanes;
    if (vectors < most || most * kLanes > n) {
      each_strip<half>(n - column, [&](auto count, Index from) { strip(count, column + from); });
      return;
    }
  }
  strip(Count<most>{}, n - most * kLanes);
}

void csr_rows(const CsrRows& rows) {
  if (rows.n < kLanes) return of_narrow(rows.n, [&](const auto& zeros) { csr_narrow(rows, zeros); });
  each_strip<kRowVectors>(rows.n, [&](auto count, Index column) { csr_strip<count.value>(rows, column); });
}

// `height` rows of Y from `row` on, in one row of blocks; one strip of columns.
template <int height, int vectors>
void bsr_tile(const BsrRows& rows, Index block_row, Index row, Index column) {
  Vec sums[height][vectors] = {};
  const Index block = rows.block;
  const float* const of_row = rows.values + (row - block_row * block) * block;
  for (Index p = rows.begins[block_row]; p < rows.begins[block_row + 1]; ++p) {
    const Index first = rows.columns[p] * block;
    const Index depth = rows.k - first < block ? rows.k - first : block;
    const float* a = of_row + p * block * block;
    const float* from = rows.b + first * rows.n + column;
    for (Index d = 0; d < depth; ++d, ++a, from += rows.n) {
      Vec b[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) b[v] = load(from + v * kLanes);
#pragma GCC unroll 4
      for (int r = 0; r < height; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < vectors; ++v) sums[r][v] += a[r * block] * b[v];
      }
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < height; ++r) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) store(rows.y + (row + r) * rows.n + column + v * kLanes, sums[r][v]);
  }
}

// `height` rows, as in bsr_tile, of a matrix with fewer columns than a vector has.
template <int height, class Sums>
void bsr_narrow(const BsrRows& rows, Index block_row, Index row, const Sums& zeros) {
  const Index block = rows.block;
  const float* const of_row = rows.values + (row - block_row * block) * block;
  Sums sums[4] = {zeros, zeros, zeros, zeros};
  for (Index p = rows.begins[block_row]; p < rows.begins[block_row + 1]; ++p) {
    const Index first = rows.columns[p] * block;
    const Index depth = rows.k - first < block ? rows.k - first : block;
    const float* a = of_row + p * block * block;
    for (Index d = 0; d < depth; ++d, ++a) {
#pragma GCC unroll 4
      for (int r = 0; r < height; ++r) sums[r].add(a[r * block], rows.b + (first + d) * rows.n);
    }
  }
  for (int r = 0; r < height; ++r) sums[r].store_to(rows.y + (row + r) * rows.n);
}

// Calls tile(block_row, row, height) with up to four rows at a time.
template <class Tile>
inline void bsr_each(const BsrRows& rows, const Tile& tile) {
  for (Index block_row = rows.first; block_row < rows.last; ++block_row) {
    const Index end = (block_row + 1) * rows.block < rows.m ? (block_row + 1) * rows.block : rows.m;
    Index row = block_row * rows.block;
    for (; row + 4 <= end; row += 4) tile(block_row, row, 4);
    if (row < end) tile(block_row, row, static_cast<int>(end - row));
  }
}

// Calls compute(count) with a number of rows, 1 to 4, as a constant of its type.
template <class Compute>
inline void of_height(int height, const Compute& compute) {
  if (height == 4) return compute(Count<4>{});
  if (height == 3) return compute(Count<3>{});
  if (height == 2) return compute(Count<2>{});
  return compute(Count<1>{});
}

template <int vectors>
void bsr_strip(const BsrRows& rows, Index column) {
  bsr_each(rows, [&](Index block_row, Index row, int height) {
    of_height(height, [&](auto count) { bsr_tile<count.value, vectors>(rows, block_row, row, column); });
  });
}

void bsr_rows(const BsrRows& rows) {
  if (rows.n >= kLanes) {
    each_strip<kBlockVectors>(rows.n,
                              [&](auto count, Index column) { bsr_strip<count.value>(rows, column); });
    return;
  }
  bsr_each(rows, [&](Index block_row, Index row, int height) {
    of_narrow(rows.n, [&](const auto& zeros) {
      of_height(height, [&](auto count) { bsr_narrow<count.value>(rows, block_row, row, zeros); });
    });
  });
}

}  // namespace

constinit const Loops KERNSWEEP_OF_ISA(kLoops) = {.isa = KERNSWEEP_ISA, .csr = csr_rows, .bsr = bsr_rows};

}  // namespace kernsweep::spmm
