// The sweep language as one table: every key with the values that it takes, its default and its meaning.
//
// The reader's checks (unknown key, wrong kind), the paths of `--set` and `overrides`, the JSON Schema, and
// the reference table of docs/reference/sweep-language.md use this table. There are no other keys.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "language/sweep.hpp"

namespace kernsweep {

enum class KeyKind : std::uint8_t {
  text,            // one line of text
  words,           // text, or a list of words
  count,           // a whole number >= 0; `step` and `mul` of an axis: any number
  share,           // 0.5% or 0.005
  duration,        // 100ms, 3s, 2m, 4h, 500us; 0
  budget,          // a duration, or a number of jobs: 200 jobs
  truth,           // true or false
  choice,          // one of `choices`
  choices,         // one of `choices` or a list of them
  text_by_name,    // a mapping from names to text
  number_by_name,  // a mapping from `choices` to numbers
  section,         // a mapping with `keys`
  switch_section,  // true, false or a mapping with `keys`
  bounds,          // a mapping with `keys`, or a whole number for each of these that is a count
  by_name,         // a mapping from names to values; those that are mappings have `keys`
  list,            // a list; items that are mappings have `keys`
  expression,      // text in the expression language
  values,          // a list of scalars or of mappings
  range,           // a list of two or three numbers
  side,            // a mapping from axes to a value or a list of values
  limit,           // a mapping from one metric to a number
  axes,            // an axis, a list of axes, or a `side`
  number,          // a number above 0
  ratio,           // a number above 0, or two: from and to
  reference,       // text, or a mapping that language/file/reference.hpp reads
};

// The member of a Sweep that a setting is stored in.
using Target = std::variant<std::monostate, std::uint64_t*, std::uint32_t*, Duration*, double*, bool*,
                            std::string*, ProcessBudget*, Hosts*, Order*, Exclusion*, Metric*, AskedRule*,
                            OutputsRule*, std::vector<Cache>*, RetryRules*, ReferenceRule*,
                            std::map<std::string, std::string>*, std::map<std::string, double>*>;

struct RuleField;

struct Key {
  std::string_view name;
  KeyKind kind = KeyKind::text;
  std::string_view fallback;                   // the default in the syntax of a sweep file; empty: none
  std::string_view meaning;                    // one sentence
  Target (*target)(Sweep&) = nullptr;          // where a setting is stored; see `rule`, too
  std::string_view choices = {};               // "any|each", in the order of the enum
  std::uint64_t least = 0, most = UINT64_MAX;  // of a count
  bool per_point = false;                      // may be set by `overrides`
  bool required = false;
  std::span<const Key> keys = {};
  const RuleField* rule = nullptr;  // the entry in the table of rules, instead of `target`

  bool is_setting() const { return target != nullptr || rule != nullptr; }
  // Whether a name of `keys` may follow in a setting's path.
  bool has_parts() const {
    return kind == KeyKind::section || kind == KeyKind::switch_section || kind == KeyKind::bounds;
  }
};

// The keys of a whole file.
std::span<const Key> language();
// Where a setting of `sweep` is stored; nothing for a part of the structure.
Target target_of(const Key& key, Sweep& sweep);
// The key called `name` among `keys`; null if there is none.
const Key* key_named(std::span<const Key> keys, std::string_view name);
std::vector<std::string> names_of(std::span<const Key> keys);

// A setting by its dotted path ("measure.samples.min", "verify.tolerance.f32", "tags.owner").
struct SettingPath {
  const Key* key = nullptr;        // null: there is no such setting
  std::vector<std::string> steps;  // the names of the path; the last may be one that the user has chosen
};
SettingPath setting_at(std::string_view path);
// All paths of settings; `per_point`: only those that `overrides` may set. Mappings are shown as
// "verify.tolerance.NAME".
std::vector<std::string> setting_paths(bool per_point);

// The settings that `--quick` replaces, as path and value.
std::span<const std::pair<std::string_view, std::string_view>> quick_settings();

// The reference table of docs/reference/sweep-language.md: Markdown, one row a key.
std::string language_reference();
// A JSON Schema (draft 2020-12) of sweep files, indented, ending in a newline.
std::string sweep_json_schema();

}  // namespace kernsweep
