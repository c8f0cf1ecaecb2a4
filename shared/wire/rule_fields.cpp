#include "shared/wire/rule_fields.hpp"

#include <algorithm>
#include <optional>

#include "shared/base/try.hpp"
#include "shared/text/duration_text.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

template <class... F>
struct Cases : F... {
  using F::operator()...;
};
template <class... F>
Cases(F...) -> Cases<F...>;

// The words of each enum in its order; enumerators count from 1.
using Words = std::vector<std::string>;
const Words& words_of(const Exclusion*) {
  static const Words words = {"host", "numa", "cache", "core"};
  return words;
}
const Words& words_of(const Metric*) {
  static const Words words = {"throughput", "latency"};
  return words;
}
const Words& words_of(const AskedRule*) {
  static const Words words = {"grade", "fail"};
  return words;
}

template <class Number>
Status set_whole(const RuleField& field, const JsonTree& from, Number& target) {
  const auto number = from.whole();
  if (!number) return wrong_kind(field.path, "a whole number", from);
  if (*number < field.least || *number > field.most)
    return failure(std::string(field.path) + " goes from " + std::to_string(field.least) + " to " +
                   std::to_string(field.most) + ", not " + std::to_string(*number));
  target = static_cast<Number>(*number);
  return Done{};
}

std::optional<double> number_of(const JsonTree& tree) {
  return tree.kind == JsonTree::Kind::scalar ? tree.scalar.number() : std::nullopt;
}

Status set_share(std::string_view path, const JsonTree& from, double& target) {
  const auto number = number_of(from);
  if (!number) return wrong_kind(path, "a number from 0 to 1", from);
  if (!(*number >= 0 && *number <= 1))
    return failure(std::string(path) + " goes from 0 to 1, not " + from.scalar.to_text());
  target = *number;
  return Done{};
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

template <class Enum>
Status set_word(std::string_view path, const JsonTree& from, Enum* target) {
  const Words& known = words_of(target);
  std::string listed;
  for (const std::string& each : known) listed += (listed.empty() ? "" : ", ") + each;
  if (!from.is_text()) return wrong_kind(path, "one of " + listed, from);
  const std::string& word = *from.scalar.text();
  const auto at = std::find(known.begin(), known.end(), word);
  if (at == known.end())
    return failure(std::string(path) + " cannot be '" + word + "'" + did_you_mean(word, known));
  *target = static_cast<Enum>(at - known.begin() + 1);
  return Done{};
}

Status set(const RuleField& field, const JsonTree& from) {
  return std::visit(
      Cases{[&](std::uint64_t* t) { return set_whole(field, from, *t); },
            [&](std::uint32_t* t) { return set_whole(field, from, *t); },
            [&](Duration* t) { return set_duration(field.path, from, *t); },
            [&](Share t) { return set_share(field.path, from, *t.value); },
            [&](bool* t) -> Status {
              const bool* const truth = from.scalar.boolean();
              if (!truth) return wrong_kind(field.path, "true or false", from);
              *t = *truth;
              return Done{};
            },
            [&](std::string* t) -> Status {
              if (!from.is_text()) return wrong_kind(field.path, "text", from);
              *t = *from.scalar.text();
              return Done{};
            },
            [&](ReferenceRule* t) { return set_reference(std::string(field.path), from, *t); },
            [&](std::map<std::string, double>* t) { return set_tolerance(field.path, from, *t); },
            [&](auto* word) { return set_word(field.path, from, word); }},
      field.target);
}

// Nothing for an empty text or mapping.
std::optional<JsonTree> written(const RuleField& field) {
  using Written = std::optional<JsonTree>;
  return std::visit(
      Cases{
          [](std::uint64_t* t) -> Written { return JsonTree::natural(*t); },
          [](std::uint32_t* t) -> Written { return JsonTree::natural(*t); },
          [](Duration* t) -> Written { return Value(exact_text(*t)); },
          [](Share t) -> Written { return Value(*t.value); }, [](bool* t) -> Written { return Value(*t); },
          [](std::string* t) -> Written { return t->empty() ? Written() : Value(*t); },
          [](ReferenceRule* t) { return written_reference(*t); },
          [](std::map<std::string, double>* t) -> Written {
            if (t->empty()) return std::nullopt;
            JsonTree out = JsonTree::object();
            for (const auto& [dtype, number] : *t) out.add(dtype, Value(number));
            return out;
          },
          [](auto* word) -> Written { return Value(words_of(word)[static_cast<std::size_t>(*word) - 1]); }},
      field.target);
}

Status read_section(const JsonTree& from, const std::string& path, const std::vector<RuleField>& fields) {
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const auto& each) { return each.path == path; });
  if (field != fields.end()) return set(*field, from);
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
    KS_RETURN_IF_ERROR(read_section(member, path + "." + name, fields));
  }
  return Done{};
}

}  // namespace

std::vector<RuleField> fields_of(Rules& rules) {
  MeasureRules& measure = rules.measure;
  VerifyRules& verify = measure.verify;
  return {{"measure.warmup.min_runs", &measure.warmup.min_runs},
          {"measure.warmup.min_time", &measure.warmup.min_time},
          {"measure.warmup.max_time", &measure.warmup.max_time},
          {"measure.samples.min", &measure.samples.min, 1},
          {"measure.samples.max", &measure.samples.max, 1},
          {"measure.samples.min_time", &measure.samples.min_time},
          {"measure.samples.max_time", &measure.samples.max_time},
          {"measure.stop.noise", Share{&measure.stop.noise}},
          {"measure.stop.or_stable", &measure.stop.or_stable},
          {"measure.alone_on", &measure.alone_on},
          {"measure.metric", &measure.metric},
          {"measure.discard.clock", Share{&measure.discard.clock}},
          {"measure.discard.share", Share{&measure.discard.share}},
          {"measure.interference", Share{&measure.interference}},
          {"verify.enabled", &verify.enabled},
          {"verify.reference", &verify.reference},
          {"verify.tolerance", &verify.tolerance},
          {"verify.repeat", &verify.repeat, 1, 1000},
          {"verify.distrust", &verify.distrust},
          {"verify.asked", &verify.asked},
          {"timeout.setup", &rules.timeout.setup},
          {"timeout.run", &rules.timeout.run}};
}

void add_rules(const Rules& rules, JsonTree& to) {
  Rules copy = rules;
  for (const RuleField& field : fields_of(copy)) {
    const auto value = written(field);
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
  return read_section(from, std::string(section), fields_of(rules));
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
