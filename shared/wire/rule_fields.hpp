// The rules of one job as a table of paths, by the names of the sweep language: what a job that is written
// as JSON says about how it is measured, and what may stand there.
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
  using Target = std::variant<std::uint64_t*, std::uint32_t*, Duration*, Share, bool*, std::string*,
                              Exclusion*, Metric*, AskedRule*, std::map<std::string, double>*>;
  std::string_view path;  // "measure.samples.min"
  Target target;
  std::uint64_t least = 0, most = 1'000'000'000;  // of a whole number
};

// Every field that decides how a slot measures, verifies or limits one job, pointing into `rules`. Not
// among them: the cache (a job has its own), `quick` (no setting but an option), `retry` and
// `timeout.sweep` (matters of the coordinator).
std::vector<RuleField> fields_of(Rules& rules);

// {"measure": {...}, "verify": {...}, "timeout": {...}}, without texts and mappings that are empty.
void add_rules(const Rules& rules, JsonTree& to);
// Sets what `from` says; `section` is "measure", "verify" or "timeout". Errors: an unknown key, a value of
// another kind or out of its range; they name the path.
Status read_rules(const JsonTree& from, std::string_view section, Rules& rules);
// Bounds that contradict each other: samples.min above samples.max and the like.
Status check_rules(const Rules& rules);

}  // namespace kernsweep
