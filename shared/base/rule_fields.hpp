// The rules of one job as a table: one line for each key of `measure`, `verify` and `timeout` that decides
// how a slot measures, verifies or limits a job. The sweep language with its documents, the messages to
// workers and slots, the JSON of a single job and the key of a job use it.
//
// The table does not contain `cache` (each job has its own), `quick` (an option, not a key of a sweep
// file), `retry` and `timeout.sweep` (used by the coordinator only).
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

// An overload set for std::visit: one function object for each case.
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
  RuleTarget (*target)(Rules&);   // one sentence; empty: a sweep file has no key for it
  std::string_view meaning;       // one sentence; empty: no key of its own in a sweep file
  std::string_view choices = {};  // "host|core": the words of an enum in its order, or the names of a map
  std::uint64_t least = 0, most = 1'000'000'000;  // of a whole number
  bool in_key = true;                             // part of the job's key
  bool per_point = true;                          // may be set by `overrides`
};

std::span<const RuleField> rule_fields();

// The value of a member: a whole number, a share, true or false, a word, or nanoseconds. Nothing for a
// reference and for numbers by name.
std::optional<Value> value_of(const RuleField& field, Rules& rules);
// The reverse of value_of(). Errors, with the path: a value of another kind or out of its range. A duration
// is clamped to 0 and ten years, so that sums of a few with the time of any clock fit into 64 bits.
Status set_value(const RuleField& field, const Value& value, Rules& rules);

// Appends the fields that belong to a job's key, each with its path, so that no two different rules have
// the same text.
void append_key(const MeasureRules& rules, std::string& text);

}  // namespace kernsweep
