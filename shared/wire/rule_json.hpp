// The rules of one job as JSON: the fields of shared/base/rule_fields.hpp, by their paths.
#pragma once

#include <string_view>

#include "shared/base/rules.hpp"
#include "shared/wire/json_tree.hpp"

namespace kernsweep {

// Adds {"measure": {...}, "verify": {...}, "timeout": {...}} to `to`, without empty texts and mappings.
void add_rules(const Rules& rules, JsonTree& to);
// Sets the rules that `from` contains; `section` is "measure", "verify" or "timeout". Errors, with the
// path: an unknown key, a value of another kind or out of its range.
Status read_rules(const JsonTree& from, std::string_view section, Rules& rules);
// Error: bounds contradict each other: samples.min is above samples.max, and the like.
Status check_rules(const Rules& rules);

}  // namespace kernsweep
