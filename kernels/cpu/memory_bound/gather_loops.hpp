// Rows of a table by their numbers; included by loops_of_isa.cpp only.
#pragma once

namespace kernsweep::memory_bound {
namespace {

// The table's row for index i of the result; a number out of range is replaced by the nearest valid one.
template <class Number>
inline const float* row_for(const Gather& g, Index i) {
  const Index number = static_cast<const Number*>(g.numbers)[i];
  const Index last = g.table_rows - 1;
  return g.table + (number < 0 ? 0 : number > last ? last : number) * g.rows.cols;
}

// While a row is copied, the beginning of a later one is prefetched: the processor fetches the rest.
template <class Number>
inline void gather_by(const Gather& g) {
  constexpr Index kAhead = 8, kFetched = 128;  // rows, elements
  const Index cols = g.rows.cols;
  const Index fetched = cols < kFetched ? cols : kFetched;
  write_rows(g.rows, [&](Index r, float* to, auto past) {
    if (r + kAhead < g.rows.rows) {
      const float* const later = row_for<Number>(g, r + kAhead);
      for (Index i = 0; i < fetched; i += kLine) __builtin_prefetch(later + i);
    }
    const float* const from = row_for<Number>(g, r);
    write<past>(to, cols, [&](const auto& where) { return where(from); });
  });
}

void gather(const Gather& g) {
  if (g.wide) return gather_by<std::int64_t>(g);
  gather_by<std::int32_t>(g);
}

}  // namespace
}  // namespace kernsweep::memory_bound
