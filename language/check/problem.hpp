// Which columns of a sweep are its problem (what is computed), and which are settings (how it is computed).
// Answers hold settings against each other only where the problem is the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/check/catalogue.hpp"
#include "language/sweep.hpp"

namespace kernsweep {

// For each column of the sweep: true: it is part of the problem; false: it is a setting; nullopt: not
// known, because `catalogue` does not have the sweep's family. The first of these that says something
// counts:
// - `problem:` of the sweep: what it lists is the problem, all else a setting.
// - Derived values and what a program runs are settings: they follow from other columns.
// - `label` and `input.*` are the problem; variant, threads, device, gpus and env.* are settings.
// - Of a command or a Python function everything else is a setting.
// - What the family declares of its parameters, and its variants of theirs. Where the pack does not say,
// the
//   family's parameters are the problem, those of variants settings.
// - What no one declares (`count`, any other parameter of a family that takes any) is the problem.
std::vector<std::optional<bool>> problem_columns(const Sweep& sweep, const Catalogue& catalogue);

// The names of those that are part of the problem; nullopt: of some column it is not known.
std::optional<std::vector<std::string>> problem_names(const Sweep& sweep, const Catalogue& catalogue);

}  // namespace kernsweep
