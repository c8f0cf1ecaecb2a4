#include "language/file/reference.hpp"

#include <fmt/format.h>

#include <optional>

#include "language/file/program.hpp"
#include "language/file/setting.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

constexpr ReferenceKind kForms[] = {ReferenceKind::setting, ReferenceKind::command, ReferenceKind::python,
                                    ReferenceKind::file};

std::optional<ReferenceKind> form_named(std::string_view name) {
  for (const ReferenceKind kind : kForms)
    if (name_of(kind) == name) return kind;
  return std::nullopt;
}

Result<ReferenceRule> read_setting(const std::string& path, const Node& node) {
  ReferenceRule rule;
  rule.kind = ReferenceKind::setting;
  if (!node.is_mapping())
    return wrong(
        node, fmt::format("{} takes a mapping from axes to values, as {{algorithm: honest}}, not {}", path,
                          describe(node)));
  for (const auto& [name, value] : node.entries) {
    if (is_ignored_key(name.scalar)) continue;
    if (!value.is_scalar())
      return wrong(value, fmt::format("{}.{} takes one value, not {}", path, name.scalar, describe(value)));
    rule.setting[name.scalar] = value.is_null() ? Value() : Value(value.scalar);
  }
  if (rule.setting.empty())
    return wrong(
        node, fmt::format("{} names nothing; name an axis and its value, as {{algorithm: honest}}", path));
  return rule;
}

Result<std::string> read_text(const std::string& path, ReferenceKind kind, const Node& node) {
  if (kind == ReferenceKind::command) {
    KS_ASSIGN_OR_RETURN(const auto program, read_command(node));
    return text_of(program);
  }
  if (kind == ReferenceKind::python) {
    KS_ASSIGN_OR_RETURN(const auto program, read_python(node));
    return text_of(program);
  }
  if (!node.is_scalar() || node.is_null() || node.scalar.empty())
    return wrong(node, fmt::format("{} takes the path of a file, not {}", path, describe(node)));
  if (const auto made = CommandTemplate::of_words({node.scalar}); !made)
    return wrong(node, fmt::format("in {}: {}", describe(node), made.error().message));
  return node.scalar;
}

}  // namespace

Result<ReferenceRule> read_reference(const std::string& path, const Node& node) {
  if (node.is_scalar() && !node.is_null() && !node.scalar.empty()) return ReferenceRule(node.scalar);
  if (!node.is_mapping())
    return wrong(node, fmt::format("{} takes the name of a variant, or a mapping with setting, command, "
                                   "python or file, not {}",
                                   path, describe(node)));
  const Node* form = nullptr;
  ReferenceRule rule;
  std::size_t keys = 0;
  for (const auto& [name, value] : node.entries) {
    if (is_ignored_key(name.scalar)) continue;
    ++keys;
    if (const auto kind = form_named(name.scalar)) {
      form = &value;
      rule.kind = *kind;
    }
  }
  if (form == nullptr) return read_setting(path, node);
  if (keys > 1)
    return wrong(
        node, fmt::format("{} has {} together with another key; write one of setting, command, python and "
                          "file, and axes of these names below `setting`",
                          path, name_of(rule.kind)));
  const std::string inner = path + "." + std::string(name_of(rule.kind));
  if (rule.kind == ReferenceKind::setting) return read_setting(inner, *form);
  KS_ASSIGN_OR_RETURN(auto text, read_text(inner, rule.kind, *form));
  rule.text = std::move(text);
  return rule;
}

std::vector<const Node*> references_of(const Node& root) {
  std::vector<const Node*> out;
  const auto add_of = [&out](const Node* verify) {
    const Node* reference = verify != nullptr ? verify->find("reference") : nullptr;
    if (reference != nullptr) out.push_back(reference);
  };
  add_of(root.find("verify"));
  const Node* overrides = root.find("overrides");
  if (overrides == nullptr) return out;
  for (const Node& item : overrides->items) {
    const Node* set = item.find("set");
    if (set == nullptr) continue;
    add_of(set->find("verify"));
    if (const Node* reference = set->find("verify.reference")) out.push_back(reference);
  }
  return out;
}

}  // namespace kernsweep
