// The only file of this folder that uses nlohmann-json.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "results/report/best_table.hpp"
#include "results/report/json.hpp"

namespace kernsweep {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Value& value) {
  if (const auto* truth = value.boolean()) return *truth;
  if (const auto* word = value.word()) return *word;
  if (const auto* number = value.integer()) return *number;
  if (const auto* real = value.real()) return std::isfinite(*real) ? Json(*real) : Json();
  if (const auto* text = value.text()) return *text;
  return Json();
}

std::string dumped(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// User-defined columns come first, and may have the names of our own: they are then `axis.NAME`, as in the
// views of SQL.
std::string name_beside_ours(const std::string& name) {
  return "axis." + name;
}

Json json_of(const RowSet& rows) {
  std::vector<std::string> names = rows.columns;
  for (auto name = names.begin(); name != names.end(); ++name)
    if (std::find(name + 1, names.end(), *name) != names.end()) *name = name_beside_ours(*name);
  Json list = Json::array();
  for (const auto& row : rows.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[names[i]] = json_of(row[i]);
    list.push_back(std::move(object));
  }
  return list;
}

Json json_of_remarks(const auto& all) {
  Json list = Json::array();
  for (const auto& each : all) list.push_back({{"result", each.result}, {"reason", each.reason}});
  return list;
}

Json json_of(const Split& split, const BestAnswer& answer) {
  const auto number = [&](double log) { return std::exp(answer.better == Better::larger ? -log : log); };
  return {{"fast", split.fast},
          {"slow", split.slow},
          {"fast_" + answer.metric, number(split.fast_log)},
          {"slow_" + answer.metric, number(split.slow_log)}};
}

Json json_of(const BestSetMember& member, const BestAnswer& answer) {
  Json settings = Json::object();
  for (const auto& [name, value] : member.settings) settings[name] = json_of(value);
  Json object{{"settings", std::move(settings)},
              {answer.metric, std::isfinite(member.number) ? Json(member.number) : Json()},
              {"result", member.result},
              {"disturbed", member.disturbed}};
  if (member.split) object["split"] = json_of(member.split, answer);
  return object;
}

// The rows, each with all points that could be best.
Json rows_of(const BestAnswer& answer) {
  Json list = json_of(table_of(answer.rows, columns_of(answer)));
  for (std::size_t i = 0; i < answer.rows.size(); ++i) {
    const BestSet& set = answer.rows[i].set;
    const auto add = [&](const char* name, Json value) {
      if (list[i].contains(name)) list[i][name_beside_ours(name)] = std::move(list[i][name]);
      list[i][name] = std::move(value);
    };
    const auto listed = [&](const std::vector<BestSetMember>& all) {
      Json members = Json::array();
      for (const BestSetMember& member : all) members.push_back(json_of(member, answer));
      return members;
    };
    if (!answer.rows[i].same_builds.empty()) add("same_build", answer.rows[i].same_builds);
    if (set.not_judged_size > 0) {
      add("not_judged", {{"points", set.not_judged_size},
                         {"because", "a number that is not above zero has no logarithm"},
                         {"besides_this_row", listed(set.not_judged)}});
      if (!set.others.empty())
        add("others", {{"verdict", set.others_verdict.empty() ? Json() : Json(set.others_verdict)},
                       {"set", listed(set.others)}});
    }
    if (set.size == 0) continue;
    add("set_size", set.size);
    add("set", listed(set.members));
    if (const Split& split = set.members.front().split) add("split", json_of(split, answer));
  }
  return list;
}

Json json_of(const BestAnswer& answer, Json rows) {
  Json object{{"sweep", answer.sweep},
              {"sweep_id", answer.id.value},
              {"by", answer.by},
              {"metric", answer.metric},
              {"better", name_of(answer.better)},
              {"worst_grade", std::string(1, answer.worst_grade)},
              {"jobs", answer.jobs},
              {"left_out",
               {{"failed", answer.left_out_failed},
                {"without", answer.left_out_without},
                {"grade", answer.left_out_grade},
                {"grade_cause", answer.grade_cause.reason},
                {"with_this_cause", answer.grade_cause.jobs}}},
              {"problems_lost", answer.lost_groups},
              {"disturbed", {{"points", answer.disturbed_points}, {"jobs", answer.disturbed_jobs}}},
              {"rows", std::move(rows)}};
  if (const std::uint64_t more = answer.groups - answer.groups_told; more > 0) object["rows_more"] = more;
  if (!answer.implausible.empty()) object["implausible"] = json_of_remarks(answer.implausible);
  if (!answer.above_roofs.empty()) object["above_roofs"] = json_of_remarks(answer.above_roofs);
  if (!answer.other_outputs.empty()) object["other_outputs"] = json_of_remarks(answer.other_outputs);
  if (!answer.rates_for.empty()) object["rates_because_of"] = answer.rates_for;
  if (answer.several_software > 0) {
    object["points_of_several_software"] = answer.several_software;
    object["software_changed"] = answer.changed;
  }
  return object;
}

}  // namespace

void append_json(const Value& value, std::string& out) {
  out += dumped(json_of(value));
}

bool is_json_object(std::string_view text) {
  return text.starts_with('{') && Json::accept(text);
}

std::string to_json(const RowSet& rows) {
  return dumped(json_of(rows), 1);
}
std::string to_json(const std::vector<Implausible>& all) {
  return dumped(json_of_remarks(all));
}

std::string to_json(const BestAnswer& answer) {
  return dumped(json_of(answer, rows_of(answer)), 1);
}

std::string to_json(const SweepShares& shares) {
  return dumped(json_of(shares.best, json_of(table_of(shares))), 1);
}

std::string to_json(const SweepEffects& effects) {
  Json list = json_of(rows_of(effects.effects));
  for (std::size_t i = 0; i < effects.effects.size(); ++i)
    list[i]["sentence"] = sentence(effects.effects[i]);
  return dumped(Json{{"best", json_of(effects.best, rows_of(effects.best))},
                     {"effects", std::move(list)},
                     {"shortened", effects.shortened}},
                1);
}

std::string to_json(const Shown& shown) {
  Json object = Json::object();
  for (const Shown::Section& section : shown.sections) {
    Json entries = Json::object();
    for (const auto& [name, value] : section.entries) entries[name] = json_of(value);
    object[section.title] = std::move(entries);
  }
  object["samples_s"] = shown.samples;
  return dumped(object, 1);
}

}  // namespace kernsweep
