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

double rounding_tolerance(std::string_view dtype) {
  if (dtype == "f64") return 1e-8;
  if (dtype == "f32") return 1e-5;
  if (dtype == "tf32") return 1e-3;
  if (dtype == "f16") return 2e-3;
  if (dtype == "bf16") return 1.6e-2;
  if (dtype == "f8e4m3") return 0.125;
  if (dtype == "f8e5m2") return 0.25;
  return 0;
}

}  // namespace kernsweep
