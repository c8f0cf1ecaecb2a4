#include "shared/wire/rule_json.hpp"

#include <algorithm>
#include <optional>

#include "shared/base/rule_fields.hpp"
#include "shared/base/try.hpp"
#include "shared/text/choices.hpp"
#include "shared/text/duration_text.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

std::optional<double> number_of(const JsonTree& tree) {
  return tree.kind == JsonTree::Kind::scalar ? tree.scalar.number() : std::nullopt;
}

Status set_duration(std::string_view path, const JsonTree& from, Duration& target) {
  if (!from.is_text()) return wrong_kind(path, "a duration such as \"100ms\"", from);
  const auto duration = duration_of(*from.scalar.text());
  if (!duration) return failure(std::string(path) + ": " + duration.error().message);
  target = *duration;
  return Done{};
}

Status set_tolerance(std::string_view path, const JsonTree& from, std::map<std::string, double>& target) {
  if (!from.is_object()) return wrong_kind(path, "a mapping from data types to numbers", from);
  for (const auto& [dtype, tree] : from.members) {
    const auto number = number_of(tree);
    if (!number || !(*number >= 0))
      return wrong_kind(std::string(path) + "." + dtype, "a number that is not negative", tree);
    target[dtype] = *number;
  }
  return Done{};
}

// A variant's name, or a mapping with one key: {"setting": {...}} or {"command": "..."}.
Status set_reference(const std::string& path, const JsonTree& from, ReferenceRule& target) {
  target = {};
  if (from.is_text()) {
    target.text = *from.scalar.text();
    return Done{};
  }
  if (!from.is_object() || from.members.size() != 1)
    return wrong_kind(path, "a variant, or a mapping with one of setting, command, python, file", from);
  const auto& [name, what] = from.members.front();
  for (const auto kind :
       {ReferenceKind::setting, ReferenceKind::command, ReferenceKind::python, ReferenceKind::file})
    if (name_of(kind) == name) target.kind = kind;
  if (target.kind == ReferenceKind::variant)
    return failure(path + " has no key '" + name + "'" +
                   did_you_mean(name, {"setting", "command", "python", "file"}));
  if (target.kind != ReferenceKind::setting) {
    if (!what.is_text()) return wrong_kind(path + "." + name, "text", what);
    target.text = *what.scalar.text();
    return Done{};
  }
  if (!what.is_object()) return wrong_kind(path + "." + name, "a mapping from columns to values", what);
  for (const auto& [column, value] : what.members) {
    if (value.kind != JsonTree::Kind::scalar || value.large)
      return wrong_kind(path + "." + name + "." + column, "a number, text, true, false or null", value);
    target.setting[column] = value.scalar;
  }
  return Done{};
}

std::optional<JsonTree> written_reference(const ReferenceRule& rule) {
  if (rule.is_own()) return std::nullopt;
  if (rule.kind == ReferenceKind::variant) return JsonTree(Value(rule.text));
  JsonTree out = JsonTree::object();
  const std::string name(name_of(rule.kind));
  if (rule.kind != ReferenceKind::setting) {
    out.add(name, Value(rule.text));
    return out;
  }
  JsonTree& setting = out.add(name, JsonTree::object());
  for (const auto& [column, value] : rule.setting) setting.add(column, value);
  return out;
}

// The values that a member accepts, for the message about a value of another kind.
std::string taken_by(const RuleField& field, const RuleTarget& target) {
  if (std::holds_alternative<bool*>(target)) return "true or false";
  if (std::holds_alternative<Share>(target)) return "a number from 0 to 1";
  if (field.choices.empty()) return "a whole number";
  std::string listed;
  for (const std::string& each : split_choices(field.choices))
    listed += (listed.empty() ? "" : ", ") + each;
  return "one of " + listed;
}

bool is_of_kind(const JsonTree& from, const RuleField& field, const RuleTarget& target) {
  if (std::holds_alternative<bool*>(target)) return from.scalar.boolean();
  if (std::holds_alternative<Share>(target)) return number_of(from).has_value();
  return field.choices.empty() ? from.whole().has_value() : from.is_text();
}

Status set(const RuleField& field, const JsonTree& from, Rules& rules) {
  const RuleTarget target = field.target(rules);
  if (auto* const* t = std::get_if<Duration*>(&target)) return set_duration(field.path, from, **t);
  if (auto* const* t = std::get_if<ReferenceRule*>(&target))
    return set_reference(std::string(field.path), from, **t);
  if (auto* const* t = std::get_if<std::map<std::string, double>*>(&target))
    return set_tolerance(field.path, from, **t);
  if (!is_of_kind(from, field, target)) return wrong_kind(field.path, taken_by(field, target), from);
  if (from.large)
    return failure(std::string(field.path) + " goes from " + std::to_string(field.least) + " to " +
                   std::to_string(field.most) + ", not " + std::to_string(*from.large));
  return set_value(field, from.scalar, rules);
}

// The JSON of a member; nothing for an empty text or mapping.
std::optional<JsonTree> written(const RuleField& field, Rules& rules) {
  const RuleTarget target = field.target(rules);
  if (auto* const* t = std::get_if<Duration*>(&target)) return JsonTree(Value(exact_text(**t)));
  if (auto* const* t = std::get_if<ReferenceRule*>(&target)) return written_reference(**t);
  if (auto* const* t = std::get_if<std::map<std::string, double>*>(&target)) {
    if ((*t)->empty()) return std::nullopt;
    JsonTree out = JsonTree::object();
    for (const auto& [dtype, number] : **t) out.add(dtype, Value(number));
    return out;
  }
  return JsonTree(*value_of(field, rules));
}

Status read_section(const JsonTree& from, const std::string& path, Rules& rules) {
  const auto fields = rule_fields();
  const auto field = std::ranges::find(fields, path, &RuleField::path);
  if (field != fields.end()) return set(*field, from, rules);
  if (!from.is_object()) return wrong_kind(path, "a mapping", from);
  std::vector<std::string> known;
  for (const RuleField& each : fields) {
    if (!each.path.starts_with(path + ".")) continue;
    const std::string rest(each.path.substr(path.size() + 1));
    const std::string name = rest.substr(0, rest.find('.'));
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  for (const auto& [name, member] : from.members) {
    if (std::find(known.begin(), known.end(), name) == known.end())
      return failure(path + " has no key '" + name + "'" + did_you_mean(name, known));
    KS_RETURN_IF_ERROR(read_section(member, path + "." + name, rules));
  }
  return Done{};
}

}  // namespace

void add_rules(const Rules& rules, JsonTree& to) {
  Rules copy = rules;
  for (const RuleField& field : rule_fields()) {
    const auto value = written(field, copy);
    const bool says_nothing = (field.path == "verify.enabled" && rules.measure.verify.enabled) ||
                              (field.path == "verify.distrust" && !rules.measure.verify.distrust);
    if (!value || says_nothing) continue;
    JsonTree* at = &to;
    std::string_view rest = field.path;
    for (auto dot = rest.find('.'); dot != std::string_view::npos; dot = rest.find('.')) {
      const std::string name(rest.substr(0, dot));
      JsonTree* const inner = at->find(name);
      at = inner ? inner : &at->add(name, JsonTree::object());
      rest.remove_prefix(dot + 1);
    }
    at->add(std::string(rest), *value);
  }
}

Status read_rules(const JsonTree& from, std::string_view section, Rules& rules) {
  // As in a sweep file: `verify: false`.
  if (section == "verify" && from.scalar.boolean()) {
    rules.measure.verify.enabled = *from.scalar.boolean();
    return Done{};
  }
  return read_section(from, std::string(section), rules);
}

Status check_rules(const Rules& rules) {
  const auto& samples = rules.measure.samples;
  const auto& warmup = rules.measure.warmup;
  if (samples.min > samples.max)
    return failure("measure.samples.min (" + std::to_string(samples.min) +
                   ") is above measure.samples.max (" + std::to_string(samples.max) + ")");
  if (samples.min_time > samples.max_time)
    return failure("measure.samples.min_time (" + exact_text(samples.min_time) +
                   ") is above measure.samples.max_time (" + exact_text(samples.max_time) + ")");
  if (warmup.min_time > warmup.max_time)
    return failure("measure.warmup.min_time (" + exact_text(warmup.min_time) +
                   ") is above measure.warmup.max_time (" + exact_text(warmup.max_time) + ")");
  return Done{};
}

}  // namespace kernsweep
