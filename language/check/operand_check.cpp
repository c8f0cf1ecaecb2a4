#include "language/check/operand_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "language/check/kind_check.hpp"
#include "language/space/permutation.hpp"
#include "shared/base/operand_fill.hpp"
#include "shared/base/operand_text.hpp"

namespace kernsweep {
namespace {

bool describes_operand(const Column& column) {
  return column.origin == Column::Origin::program && column.name.starts_with(kOperandColumn);
}

// "" if the text describes an operand that a host can make.
std::string flaw_of(const Sweep& sweep, const Column& column, const std::string& text) {
  std::string fill = text, key = column.name;
  if (describes_operand(column)) {
    key = "operands." + column.name.substr(kOperandColumn.size());
    const auto read = operand_of_text(text);
    if (!read) return key + ": " + read.error().message;
    if (read->role == OperandRole::output && sweep.kind != KernelKind::source)
      return key +
             ": only a function of `source` has outputs as operands; a Python function returns its output";
    fill = read->distribution;
  }
  if (fill.empty()) return "";
  const auto read = operand_fill_of(fill);
  return read ? "" : key + ": " + read.error().message;
}

}  // namespace

Status check_operands(const Sweep& sweep, const Expansion& expansion) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < sweep.columns.size(); ++c)
    if (describes_operand(sweep.columns[c]) || sweep.columns[c].name.starts_with("input."))
      columns.push_back(c);
  if (columns.empty()) return Done{};
  const std::uint64_t all = expansion.raw_points(), tried = std::min(all, kPointsTried);
  const Permutation drawn(std::max<std::uint64_t>(all, 1), 0);
  std::set<std::pair<std::size_t, std::string>> good;
  Point point;
  for (std::uint64_t i = 0; i < tried; ++i) {
    const std::uint64_t position = tried < all ? drawn(i) : i;
    expansion.point_at(position, point);
    for (const std::size_t c : columns) {
      const std::string text = point.values[c].is_null() ? "" : point.values[c].to_text();
      if (good.contains({c, text})) continue;
      const std::string flaw = flaw_of(sweep, sweep.columns[c], text);
      if (flaw.empty()) good.emplace(c, text);
      if (flaw.empty() || expansion.rejection(position, point)) continue;
      return failure(fmt::format("{}: {}, at {}", place_text(sweep, sweep.columns[c].place), flaw,
                                 expansion.label_of(point)));
    }
  }
  return Done{};
}

}  // namespace kernsweep
