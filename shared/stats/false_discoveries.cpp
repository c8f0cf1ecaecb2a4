#include "shared/stats/false_discoveries.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "shared/base/result.hpp"

namespace kernsweep {

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (std::size_t rank = p.size(); rank > 0; --rank) {
    const std::size_t at = order[rank - 1];
    KS_ASSERT(p[at] >= 0 && p[at] <= 1);
    least = std::min(least, p[at] * static_cast<double>(p.size()) / static_cast<double>(rank));
    adjusted[at] = least;
  }
  return adjusted;
}

}  // namespace kernsweep
