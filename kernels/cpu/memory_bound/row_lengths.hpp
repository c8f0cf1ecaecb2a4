// Lengths of rows and blocks that the loops and their callers know.
#pragma once

#include <cstdint>

namespace kernsweep::memory_bound {

// Results of short rows are staged in this many elements, 16 KiB, and leave from there in whole lines.
inline constexpr std::int64_t kStageElements = 4096;
// Rows of at least this length are not short: their two incomplete lines do not matter.
inline constexpr std::int64_t kUnstagedRow = 1024;
// softmax goes by blocks of this length, 2 KiB; each has a factor.
inline constexpr std::int64_t kSoftmaxBlock = 512;
constexpr std::int64_t softmax_factors(std::int64_t cols) {
  return (cols / kSoftmaxBlock / 16 + 1) * 16;
}

}  // namespace kernsweep::memory_bound
