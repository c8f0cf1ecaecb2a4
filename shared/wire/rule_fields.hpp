// The rules of one job as a table of fields, by their paths in the sweep language: with it, rules are
// written as JSON, read from JSON, and checked against their ranges.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shared/base/rules.hpp"
#include "shared/wire/json_tree.hpp"

namespace kernsweep {

// A number from 0 to 1.
struct Share {
  double* value;
};

struct RuleField {
  using Target =
      std::variant<std::uint64_t*, std::uint32_t*, Duration*, Share, bool*, std::string*, Exclusion*,
                   Metric*, AskedRule*, ReferenceRule*, std::map<std::string, double>*>;
  std::string_view path;  // "measure.samples.min"
  Target target;
  std::uint64_t least = 0, most = 1'000'000'000;  // of a whole number
};

// Every field that decides how a slot measures, verifies or limits one job, pointing into `rules`. Not
// among them: `cache` (each job has its own), `quick` (an option, no key of a sweep file), `retry` and
// `timeout.sweep` (used by the coordinator only).
std::vector<RuleField> fields_of(Rules& rules);

// Adds {"measure": {...}, "verify": {...}, "timeout": {...}} to `to`, without empty texts and mappings.
void add_rules(const Rules& rules, JsonTree& to);
// Sets the rules that `from` contains; `section` is "measure", "verify" or "timeout". Errors, with the
// path: an unknown key, a value of another kind or out of its range.
Status read_rules(const JsonTree& from, std::string_view section, Rules& rules);
// Error: bounds contradict each other: samples.min is above samples.max, and the like.
Status check_rules(const Rules& rules);

}  // namespace kernsweep
