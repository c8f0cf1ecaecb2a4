// A table over axes as SVG: its numbers and marks, each cell the darker the nearer it is to the best of its
// row.
#pragma once

#include <cstddef>
#include <string>

#include "results/answer/pivot.hpp"

namespace kernsweep {

inline constexpr std::size_t kHeatRowsMax = 200, kHeatColumnsMax = 40;

// Further rows and columns are counted below. Requires that the answer has rows. The same answer
// has the same bytes.
std::string heat_map_of(const PivotAnswer& answer);

}  // namespace kernsweep
