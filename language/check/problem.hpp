// Which columns of a sweep are its problem (what is computed), and which are settings (how it is computed).
// Answers compare settings only where the problem is the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/check/catalogue.hpp"
#include "language/sweep.hpp"

namespace kernsweep {

// For each column of the sweep: true: it is part of the problem; false: it is a setting; nullopt: not
// known, because `catalogue` does not have the sweep's family. The first rule that applies decides:
// - `problem:` of the sweep: the listed columns are the problem, all others settings.
// - Derived values and the column of a program are settings: they follow from other columns.
// - `label` and `input.*` are the problem; variant, threads, device, gpus and env.* are settings.
// - For a command or a Python function all other columns are settings.
// - The family declares its parameters, and variants declare theirs. Without a declaration the family's
//   parameters are the problem, and those of variants settings.
// - All other columns (`count`, undeclared parameters of a family with free parameters) are the problem.
std::vector<std::optional<bool>> problem_columns(const Sweep& sweep, const Catalogue& catalogue);

// The names of the columns that are part of the problem; nullopt: it is not known of some column.
std::optional<std::vector<std::string>> problem_names(const Sweep& sweep, const Catalogue& catalogue);

}  // namespace kernsweep
