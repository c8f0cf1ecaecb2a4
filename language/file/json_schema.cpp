// The adapter of nlohmann-json: the JSON Schema of sweep files, and reports as JSON.
#include <nlohmann/json.hpp>

#include "language/check/explain.hpp"
#include "language/file/keys.hpp"
#include "language/file/program.hpp"
#include "shared/text/choices.hpp"

namespace kernsweep {
namespace {

using Json = nlohmann::ordered_json;

Json schema_of(const Key& key);

Json object_of(std::span<const Key> keys) {
  Json properties = Json::object(), required = Json::array();
  for (const auto& key : keys) {
    properties[std::string(key.name)] = schema_of(key);
    if (key.required) required.push_back(key.name);
  }
  Json out = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  out["patternProperties"] = {{"^x-", Json::object()}};
  if (!required.empty()) out["required"] = required;
  return out;
}

Json scalar() {
  return {{"type", {"string", "number", "boolean", "null"}}};
}
Json points() {
  return {{"type", "object"}, {"additionalProperties", scalar()}, {"minProperties", 1}};
}
Json list_of(const Json& item) {
  return {{"type", "array"}, {"items", item}};
}
Json either(const Json& a, const Json& b) {
  return {{"anyOf", {a, b}}};
}

Json values_schema() {
  Json out = list_of(either(scalar(), points()));
  out["minItems"] = 1;
  return out;
}

// The schema of the values in `axes`, `zip` and `derive`, and of the items of lists.
Json structure_of(const Key& key) {
  const std::string_view name = key.name;
  if (name == "axes") {
    Json axis = {{"anyOf", {scalar(), values_schema(), object_of(key.keys)}}};
    return {{"type", "object"}, {"additionalProperties", axis}};
  }
  if (name == "metrics") return either({{"type", "string"}}, object_of(key.keys));
  if (name == "values") {
    Json value = object_of(key.keys);
    value["properties"]["unit"] =
        either({{"type", "string"}}, {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}});
    return {{"type", "object"}, {"additionalProperties", value}, {"minProperties", 1}};
  }
  if (name == "commands") {
    Json words = list_of({{"type", {"string", "number", "boolean"}}});
    words["minItems"] = 1;
    return {{"type", "object"},
            {"additionalProperties", either({{"type", "string"}}, words)},
            {"minProperties", 1},
            {"maxProperties", kCommandsMax}};
  }
  if (name == "zip") {
    Json members = list_of({{"type", "string"}});
    members["minItems"] = 2;
    return {{"type", "object"}, {"additionalProperties", members}};
  }
  if (name == "derive") {
    return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
  }
  if (name == "exclude" || name == "include") return list_of(points());
  if (name == "problem") {
    Json names = list_of({{"type", "string"}});
    names["uniqueItems"] = true;
    return names;
  }
  if (name == "constraints") return list_of(either({{"type", {"string", "boolean"}}}, object_of(key.keys)));
  if (name == "depends") {
    Json files = list_of({{"type", {"string", "number", "boolean"}}});
    files["maxItems"] = kDependsMax;
    return files;
  }
  if (name == "requires") return either({{"type", "string"}}, list_of({{"type", "string"}}));
  return list_of(object_of(key.keys));  // overrides, claims
}

Json numbers_schema(const Key& key) {
  const Json number = {{"type", "number"}, {"minimum", 0}};
  return {
      {"type", "object"},
      {"patternProperties", {{"^(" + std::string(key.choices) + ")$", number}, {"^x-", Json::object()}}},
      {"additionalProperties", false}};
}

Json choices_schema(const Key& key) {
  Json words = Json::array();
  for (const auto& word : split_choices(key.choices)) words.push_back(word);
  const Json one = {{"enum", words}};
  return key.kind == KeyKind::choice ? one : either(one, list_of(one));
}

Json count_schema(const Key& key) {
  if (key.name == "step" || key.name == "mul") {
    return {{"type", "number"}, {"exclusiveMinimum", key.name == "step" ? 0 : 1}};
  }
  Json out = {{"type", "integer"}, {"minimum", key.least}};
  if (key.most != UINT64_MAX) out["maximum"] = key.most;
  return out;
}

Json reference_schema() {
  const Json text = {{"type", "string"}};
  Json words = list_of({{"type", {"string", "number", "boolean"}}});
  words["minItems"] = 1;
  const auto form = [](const char* name, const Json& takes) {
    return Json{{"type", "object"},
                {"properties", {{name, takes}}},
                {"patternProperties", {{"^x-", Json::object()}}},
                {"required", {name}},
                {"additionalProperties", false}};
  };
  Json settings = points();
  for (const char* name : {"setting", "command", "python", "file"}) settings["properties"][name] = false;
  return {{"anyOf",
           {text, form("setting", points()), form("command", either(text, words)), form("python", text),
            form("file", text), settings}}};
}

Json settings_schema() {
  Json properties = Json::object();
  for (const auto& path : setting_paths(true)) {
    if (!path.ends_with(".NAME")) properties[path] = schema_of(*setting_at(path).key);
  }
  return {
      {"type", "object"},
      {"properties", properties},
      {"patternProperties", {{"^x-", Json::object()}, {"^verify\\.tolerance\\.", {{"type", "number"}}}}},
      {"additionalProperties", false}};
}

Json claim_part(KeyKind kind) {
  const Json above_0 = {{"type", "number"}, {"exclusiveMinimum", 0}};
  if (kind == KeyKind::number) return above_0;
  if (kind == KeyKind::ratio)
    return either(above_0, {{"type", "array"}, {"items", above_0}, {"minItems", 2}, {"maxItems", 2}});
  if (kind == KeyKind::limit) {
    Json metrics = Json::object();
    for (const auto& name : claim_metric_names()) metrics[name] = above_0;
    return {{"type", "object"},
            {"properties", metrics},
            {"patternProperties", {{"^[a-z0-9_]+$", above_0}}},
            {"additionalProperties", false},
            {"minProperties", 1},
            {"maxProperties", 1}};
  }
  Json values = list_of(scalar());
  values["minItems"] = 1;
  const Json side = {
      {"type", "object"}, {"additionalProperties", either(scalar(), values)}, {"minProperties", 1}};
  if (kind == KeyKind::side) return side;
  const Json name = {{"type", "string"}};
  Json names = list_of(name);
  names["minItems"] = 1;
  return {{"anyOf", {name, names, side}}};
}

Json bare_schema_of(const Key& key) {
  switch (key.kind) {
    case KeyKind::text:
    case KeyKind::expression:
      return {{"type", key.kind == KeyKind::text ? Json("string") : Json({"string", "boolean", "number"})}};
    case KeyKind::words: {
      Json words = list_of({{"type", {"string", "number", "boolean"}}});
      words["minItems"] = 1;
      return either({{"type", "string"}}, words);
    }
    case KeyKind::count:
      return count_schema(key);
    case KeyKind::share:
      return {{"type", {"string", "number"}}, {"pattern", "^[0-9.]+ *%?$"}};
    case KeyKind::duration:
      return {{"type", {"string", "number"}}, {"pattern", "^(0|[0-9.]+(ns|us|ms|s|m|h))$"}};
    case KeyKind::budget:
      return {{"type", {"string", "number"}},
              {"pattern", "^(0|[0-9.]+(ns|us|ms|s|m|h)|[1-9][0-9]* jobs?)$"}};
    case KeyKind::truth:
      return {{"type", "boolean"}};
    case KeyKind::choice:
    case KeyKind::choices:
      return choices_schema(key);
    case KeyKind::reference:
      return reference_schema();
    case KeyKind::text_by_name:
      return {{"type", "object"}, {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
    case KeyKind::number_by_name:
      return numbers_schema(key);
    case KeyKind::section:
      return key.name == "set" ? settings_schema() : object_of(key.keys);
    case KeyKind::switch_section:
      return either({{"type", "boolean"}}, object_of(key.keys));
    case KeyKind::bounds:
      return either(count_schema(key), object_of(key.keys));
    case KeyKind::by_name:
    case KeyKind::list:
      return structure_of(key);
    case KeyKind::values:
      return either(scalar(), values_schema());
    case KeyKind::range:
      return {{"type", "array"},
              {"items", {{"type", "number"}}},
              {"minItems", 2},
              {"maxItems", key.name == "pow2" ? 3 : 2}};
    case KeyKind::side:
    case KeyKind::limit:
    case KeyKind::axes:
    case KeyKind::number:
    case KeyKind::ratio:
      return claim_part(key.kind);
  }
  return Json::object();
}

Json schema_of(const Key& key) {
  Json out = {{"description", key.meaning}};
  out.update(bare_schema_of(key));
  if (!key.fallback.empty() && key.is_setting())
    out["description"] = std::string(key.meaning) + " Default: " + std::string(key.fallback) + ".";
  return out;
}

Json json_of(const Value& value) {
  if (const auto* truth = value.boolean()) return *truth;
  if (const auto* integer = value.integer()) return *integer;
  if (const auto* real = value.real()) return *real;
  if (const auto* text = value.text()) return *text;
  return nullptr;
}

// Replaces bytes that are not UTF-8, which text from users may have: nlohmann-json would throw.
std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string sweep_json_schema() {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Kernsweep sweep file"},
                 {"description",
                  "Made by `kernsweep schema`; docs/reference/sweep-language.md explains the language."}};
  schema.update(object_of(language()));
  schema["anyOf"] = Json::array();
  for (const char* kernel : {"kernel", "command", "commands", "python", "source"})
    schema["anyOf"].push_back({{"required", {kernel}}});
  return dumped(schema, 2) + "\n";
}

std::string to_json(const CheckReport& report) {
  Json axes = Json::array(), rules = Json::array();
  for (const auto& axis : report.axes) {
    Json entry = {
        {"name", axis.name}, {"columns", axis.columns}, {"values", axis.values}, {"shown", axis.shown}};
    if (!axis.when.empty()) entry["when"] = axis.when;
    axes.push_back(entry);
  }
  for (const auto& rule : report.rules) {
    rules.push_back({{"rule", rule.text},
                     {"why", rule.why},
                     {"line", rule.place.line},
                     {"rejected", rule.rejected},
                     {"share", rule.share}});
  }
  Json out = {{"name", report.name},
              {"kernel", report.kernel},
              {"file", report.file},
              {"quick", report.quick},
              {"points", report.points},
              {"jobs", report.jobs},
              {"rejected", report.rejected},
              {"exact", report.exact},
              {"raw_points", report.raw_points},
              {"looked_at", report.looked_at},
              {"processes", report.processes},
              {"processes_most", report.processes_most},
              {"caches", report.caches},
              {"order", name_of(report.order)},
              {"seed", report.seed},
              {"seconds_at_least", report.seconds},
              {"seconds_at_most", report.seconds_most},
              {"axes", axes},
              {"rules", rules},
              {"requires", report.requirements},
              {"notes", report.notes},
              {"problem", report.problem ? Json(*report.problem) : Json()}};
  if (!report.program.empty()) out["program"] = report.program;
  if (report.builds > 0) out["builds"] = report.builds;
  if (!report.depends.empty()) out["depends"] = report.depends;
  for (const auto& claim : report.claims) {
    Json entry = {{"name", claim.name}, {"text", claim.text}, {"points", claim.first}};
    if (claim.two_sided) entry["points_than"] = claim.second;
    out["claims"].push_back(entry);
  }
  if (!report.claims.empty()) out["claims_exact"] = report.claims_exact;
  return dumped(out, 2) + "\n";
}

std::string to_json(const Expansion& expansion, const ExpandedPoint& expanded) {
  Json values = Json::object();
  const auto& columns = expansion.sweep().columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Value& value = expanded.point.values[c];
    if (!value.is_null()) values[columns[c].name] = json_of(columns[c].stored(value));
  }
  Json out = {{"point", expanded.position}, {"values", values}};
  if (expanded.rejection) {
    out["rejected"] = expanded.rejection->reason;
    out["rule"] = expansion.filters()[expanded.rejection->rule].text;
  }
  if (!expanded.jobs.empty()) out["jobs"] = expanded.jobs;
  return dumped(out, -1);
}

}  // namespace kernsweep
