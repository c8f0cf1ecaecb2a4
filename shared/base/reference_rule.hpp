// What the output of a job is compared with: `verify.reference` of a sweep file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "shared/base/value.hpp"

namespace kernsweep {

enum class ReferenceKind : std::uint8_t { variant = 1, setting, command, python, file };

std::string_view name_of(ReferenceKind kind);  // "setting", as a sweep file names it

struct ReferenceRule {
  ReferenceKind kind = ReferenceKind::variant;
  // variant: its name, or empty for the family's own. command, file: with `{NAME}` for columns, until the
  // coordinator fills them in for a job. python: module:function. setting: empty.
  std::string text;
  // setting: the columns whose values are replaced, and by what; null: not set.
  std::map<std::string, Value> setting;

  ReferenceRule() = default;
  // A variant.
  ReferenceRule(const char* variant) : text(variant) {}
  ReferenceRule(std::string variant) : text(std::move(variant)) {}

  // True if the family's own reference is meant.
  bool is_own() const { return kind == ReferenceKind::variant && text.empty(); }
  friend bool operator==(const ReferenceRule&, const ReferenceRule&) = default;
};

// For people: "variant naive", "setting algorithm=honest", "command ./reference -n 4". Of the family's own
// reference: "the family's own".
std::string text_of(const ReferenceRule& rule);

}  // namespace kernsweep
