// Lengths of rows and blocks that the loops and their callers know. Nothing here may be shared by the
// linker: see loops_of_isa.cpp.
#pragma once

#include <cstdint>

namespace kernsweep::memory_bound {

// Results of short rows are staged in this many elements, 16 KiB, and stored from there in whole lines.
inline constexpr std::int64_t kStageElements = 4096;
// Rows of at least this length are not short: their two incomplete lines do not matter.
inline constexpr std::int64_t kUnstagedRow = 1024;
// Whether rows of this length are short and do not end with a line of 16 floats.
static constexpr bool is_staged(std::int64_t cols) {
  return cols % 16 != 0 && cols < kUnstagedRow;
}
// softmax works in blocks of this length, 2 KiB; each has a factor.
inline constexpr std::int64_t kSoftmaxBlock = 512;
static constexpr std::int64_t softmax_factors(std::int64_t cols) {
  return (cols / kSoftmaxBlock / 16 + 1) * 16;
}

}  // namespace kernsweep::memory_bound
