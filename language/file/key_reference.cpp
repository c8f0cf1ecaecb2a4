// The reference table of docs/reference/sweep-language.md, made from the language's table.
#include <fmt/format.h>

#include "language/file/keys.hpp"
#include "shared/text/choices.hpp"

namespace kernsweep {
namespace {

std::string kind_text(const Key& key) {
  switch (key.kind) {
    case KeyKind::text:
      return "text";
    case KeyKind::words:
      return "text or a list of words";
    case KeyKind::count:
      if (key.name == "step" || key.name == "mul") return "number";
      return key.most == UINT64_MAX  ? fmt::format("whole number from {}", key.least)
             : key.most == key.least ? fmt::format("{}", key.least)
                                     : fmt::format("whole number, {} to {}", key.least, key.most);
    case KeyKind::share:
      return "share: `0.5%`";
    case KeyKind::duration:
      return "duration: `100ms`";
    case KeyKind::budget:
      return "duration, or a number of jobs: `20m`, `200 jobs`";
    case KeyKind::truth:
      return "true, false";
    case KeyKind::choice:
      return fmt::format("one of {}", fmt::join(split_choices(key.choices), ", "));
    case KeyKind::choices:
      return fmt::format("one or a list of {}", fmt::join(split_choices(key.choices), ", "));
    case KeyKind::text_by_name:
      return "mapping to text";
    case KeyKind::number_by_name:
      return fmt::format("mapping from {} to numbers", fmt::join(split_choices(key.choices), ", "));
    case KeyKind::section:
      return "mapping";
    case KeyKind::switch_section:
      return "true, false or a mapping";
    case KeyKind::bounds:
      return "whole number, or a mapping";
    case KeyKind::by_name:
      return "mapping by name";
    case KeyKind::list:
      return "list";
    case KeyKind::expression:
      return "expression";
    case KeyKind::values:
      return "list";
    case KeyKind::range:
      return "list of numbers";
    case KeyKind::side:
      return "mapping from axes to values";
    case KeyKind::limit:
      return "metric and number";
    case KeyKind::axes:
      return "one or a list of axes, or a mapping to values";
    case KeyKind::number:
      return "number above 0";
    case KeyKind::reference:
      return "text, or a mapping with one of setting, command, python, file";
    case KeyKind::ratio:
      return "number above 0, or two";
  }
  return "";
}

void add_rows(std::span<const Key> keys, const std::string& prefix, std::string& out) {
  for (const auto& key : keys) {
    const std::string path = prefix + std::string(key.name);
    const bool per_point = key.per_point && key.is_setting();
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", path, kind_text(key),
                       key.required           ? "must be there"
                       : key.fallback.empty() ? "-"
                                              : std::string(key.fallback),
                       per_point ? "yes" : "", key.meaning);
    const std::string step = key.name == "metrics"          ? "."
                             : key.kind == KeyKind::by_name ? ".NAME."
                             : key.kind == KeyKind::list    ? "[]."
                                                            : ".";
    add_rows(key.keys, path + step, out);
  }
}

}  // namespace

std::string language_reference() {
  std::string out = "| key | takes | default | per point | meaning |\n|---|---|---|---|---|\n";
  add_rows(language(), "", out);
  return out;
}

}  // namespace kernsweep
