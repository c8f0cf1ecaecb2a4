#include "shared/base/reference_rule.hpp"

namespace kernsweep {

std::string_view name_of(ReferenceKind kind) {
  switch (kind) {
    case ReferenceKind::variant:
      return "variant";
    case ReferenceKind::setting:
      return "setting";
    case ReferenceKind::command:
      return "command";
    case ReferenceKind::python:
      return "python";
    case ReferenceKind::file:
      return "file";
  }
  return "";
}

std::string text_of(const ReferenceRule& rule) {
  if (rule.is_own()) return "the family's own";
  std::string out(name_of(rule.kind));
  if (rule.kind != ReferenceKind::setting) return out + " " + rule.text;
  for (const auto& [name, value] : rule.setting) out += " " + name + "=" + value.to_text();
  return out;
}

}  // namespace kernsweep
