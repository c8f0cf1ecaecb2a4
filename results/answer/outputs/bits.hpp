// Which axis changes the bits of the output: the determinism matrix of a sweep.
//
// Two points that differ in one axis only, and had the same inputs, have the same output hash or not. In
// each group of points that agree in everything else, all are compared with the first. Parameters that are
// NULL for some values of the axis and not for others (settings of one variant) do not count as different.
// Besides the sweep's axes: process, cache, host and software.
//
// A point whose repetitions give different bits shows nothing about an axis. It is left out there, and
// counted as not repeatable for its variant.
#pragma once

#include <cstdint>
#include <string>

#include "results/read/reader.hpp"

namespace kernsweep {

struct BitsQuestion {
  std::string sweep;  // in the form of Reader::find_sweep
  char worst_grade = 'B';
};

struct BitsAnswer {
  std::string sweep;
  SweepId id;
  std::uint64_t jobs = 0, failed = 0, graded_below = 0, without_hash = 0;  // jobs read; left out
  // axis, changes_bits ("yes", "no", NULL: no pair), pairs, different, other_inputs (not compared), example
  RowSet axes;
  // variant, repeatable ("yes", "no"), points, not_repeatable (points), example (a result)
  RowSet variants;
};

// Errors: no such sweep.
Result<BitsAnswer> bits(Reader& reader, const BitsQuestion& question);

}  // namespace kernsweep
