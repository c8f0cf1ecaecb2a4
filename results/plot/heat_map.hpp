// A table over axes as SVG: its numbers and marks; a cell is the darker the closer it is to the best of its
// row.
#pragma once

#include <cstddef>
#include <string>

#include "results/answer/pivot.hpp"

namespace kernsweep {

inline constexpr std::size_t kHeatRowsMax = 200, kHeatColumnsMax = 40;

// Rows and columns that do not fit are counted below. Requires that the answer has rows. The same answer
// gives the same bytes.
std::string heat_map_of(const PivotAnswer& answer);

}  // namespace kernsweep
