#include "language/check/operand_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/check/kind_check.hpp"
#include "language/space/permutation.hpp"
#include "shared/base/operand_text.hpp"

namespace kernsweep {

Status check_operands(const Sweep& sweep, const Expansion& expansion) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < sweep.columns.size(); ++c)
    if (sweep.columns[c].origin == Column::Origin::program &&
        sweep.columns[c].name.starts_with(kOperandColumn))
      columns.push_back(c);
  if (columns.empty()) return Done{};
  const std::uint64_t all = expansion.raw_points(), tried = std::min(all, kPointsTried);
  const Permutation drawn(std::max<std::uint64_t>(all, 1), 0);
  Point point;
  for (std::uint64_t i = 0; i < tried; ++i) {
    const std::uint64_t position = tried < all ? drawn(i) : i;
    expansion.point_at(position, point);
    for (const std::size_t c : columns) {
      const auto read = operand_of_text(point.values[c].to_text());
      if (read || expansion.rejection(position, point)) continue;
      return failure(fmt::format("{}: operands: {}, at {}", place_text(sweep, sweep.columns[c].place),
                                 read.error().message, expansion.label_of(point)));
    }
  }
  return Done{};
}

}  // namespace kernsweep
