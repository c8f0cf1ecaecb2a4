// The rules of one job as a table: one line for each key of `measure`, `verify` and `timeout` that decides
// how a slot measures, verifies or limits a job. All of these use it: the sweep language with its
// documents, the messages to workers and slots, the JSON of a single job, and a job's key.
//
// Not among them: `cache` (each job has its own), `quick` (an option, no key of a sweep file), `retry` and
// `timeout.sweep` (used by the coordinator only).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "shared/base/result.hpp"
#include "shared/base/rules.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

// For std::visit: one function object for each case.
template <class... F>
struct Cases : F... {
  using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

// A number from 0 to 1.
struct Share {
  double* value;
};

using RuleTarget = std::variant<std::uint64_t*, std::uint32_t*, Duration*, Share, bool*, Exclusion*,
                                Metric*, AskedRule*, ReferenceRule*, std::map<std::string, double>*>;

struct RuleField {
  std::string_view path;          // in the sweep language: "measure.samples.min"
  RuleTarget (*target)(Rules&);   // the member
  std::string_view meaning;       // one sentence; empty: no key of its own in a sweep file
  std::string_view choices = {};  // "host|core": the words of an enum in its order, or the names of a map
  std::uint64_t least = 0, most = 1'000'000'000;  // of a whole number
  bool in_key = true;                             // part of the job's key
  bool per_point = true;                          // may be set by `overrides`
};

std::span<const RuleField> rule_fields();

// What a member holds: a whole number, a share, true or false, a word, or nanoseconds. Nothing for a
// reference and for numbers by name.
std::optional<Value> value_of(const RuleField& field, Rules& rules);
// The reverse. Errors, with the path: a value of another kind or out of its range. A duration is cut to 0
// and ten years, so that sums of a few with the time of any clock fit into 64 bits.
Status set_value(const RuleField& field, const Value& value, Rules& rules);

// Appends what is in a job's key, field by field with its path, so that no two different rules are equal.
void append_key(const MeasureRules& rules, std::string& text);

}  // namespace kernsweep
