// `problem`: the columns that the file declares to be the problem.
#include <fmt/format.h>

#include <algorithm>

#include "language/plan/builder.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {

Status PlanBuilder::add_problem() {
  if (!document_.problem) return Done{};
  Sweep& sweep = plan_->sweep;
  std::vector<std::string> known;
  for (const Column& column : sweep.columns)
    if (column.origin != Column::Origin::program) known.push_back(column.name);
  std::vector<std::string>& names = sweep.problem.emplace();
  for (const Node& name : document_.problem->items) {
    if (std::ranges::find(known, name.scalar) != known.end()) {
      names.push_back(name.scalar);
      continue;
    }
    std::string hint = hint_for(name.scalar);
    if (name.scalar == "cache" || name.scalar == "host")
      hint = fmt::format("'{}' is not a column; each {} has answers of its own anyway, so leave it out",
                         name.scalar, name.scalar == "cache" ? "state of the caches" : "kind of host");
    else if (sweep.kind != KernelKind::family && name.scalar == sweep.program_column)
      hint =
          fmt::format("'{}' differs at every point; name the columns that say what is asked", name.scalar);
    return wrong(name, "problem: " + (!hint.empty() ? hint
                                                    : fmt::format("no column is called '{}'{}", name.scalar,
                                                                  did_you_mean(name.scalar, known))));
  }
  return Done{};
}

}  // namespace kernsweep
