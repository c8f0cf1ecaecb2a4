#include "results/read/problem_of_earlier_files.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kernsweep {

bool guessed_problem(const SweepColumn& column) {
  static constexpr std::string_view kSettings[] = {"variant", "threads", "library", "algorithm",
                                                   "implementation"};
  static constexpr std::string_view kPrefixes[] = {"env.", "blas.", "block", "tile", "unroll"};
  if (column.derived || column.has_null) return false;
  if (std::ranges::find(kSettings, column.name) != std::end(kSettings)) return false;
  return std::ranges::none_of(kPrefixes, [&](std::string_view p) { return column.name.starts_with(p); });
}

}  // namespace kernsweep
