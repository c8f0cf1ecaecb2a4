#include "language/check/single_process.hpp"

#include <algorithm>

#include "language/check/problem.hpp"
#include "language/space/axis.hpp"

namespace kernsweep {
namespace {

bool takes_statistics(ClaimKind kind) {
  switch (kind) {
    case ClaimKind::faster:
    case ClaimKind::less_memory:
    case ClaimKind::at_least:
    case ClaimKind::at_most:
      return true;
    case ClaimKind::error_below:
    case ClaimKind::equal_bits:
    case ClaimKind::limited_by:
    case ClaimKind::ends_as:
      return false;
  }
  return true;
}

// A sweep without claims compares settings.
bool asks_for_statistics(const Expansion& expansion) {
  for (std::size_t number = 0; number < expansion.claims(); ++number)
    if (takes_statistics(expansion.claim(number).kind)) return true;
  return expansion.claims() == 0;
}

// False: each column with several values is known to be part of the problem without a list of kernels, so
// each point is the only one of its problem.
bool settings_may_compete(const Expansion& expansion) {
  const Sweep& sweep = expansion.sweep();
  const std::vector<std::optional<bool>> problem = problem_columns(sweep, {});
  return std::ranges::any_of(expansion.axes(), [&](const Axis& axis) {
    return axis.size() > 1 && std::ranges::any_of(axis.fields, [&](const auto& field) {
             const auto at = std::ranges::find(sweep.columns, field.name, &Column::name);
             const auto column = static_cast<std::size_t>(at - sweep.columns.begin());
             return column < problem.size() && !problem[column].value_or(false);
           });
  });
}

}  // namespace

std::string note_of_single_process(const Expansion& expansion, std::uint64_t points) {
  const Sweep& sweep = expansion.sweep();
  const bool compares = expansion.claims() > 0 || points > 1;
  if (sweep.processes > 1 || !compares || !asks_for_statistics(expansion)) return "";
  const bool competes = expansion.claims() > 0 || settings_may_compete(expansion);
  return std::string("one process per point gives times without bounds") +
         (competes ? " and shows no setting to be faster" : "") +
         ", because processes of one point differ, too; for " +
         (competes ? "bounds and a verdict " : "bounds ") +
         (sweep.quick ? "leave out --quick" : "set measure.processes to 5 (--set measure.processes=5)");
}

}  // namespace kernsweep
