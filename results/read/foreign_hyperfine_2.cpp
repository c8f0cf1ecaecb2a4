// The JSON of hyperfine 2 (schema_version 2) as that of hyperfine 1 (foreign_hyperfine.cpp).
#include <algorithm>
#include <array>
#include <set>

#include "results/read/foreign_json.hpp"

namespace kernsweep {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 4> kWallClockUnits = {
    {{"second", 1}, {"millisecond", 1e-3}, {"microsecond", 1e-6}, {"nanosecond", 1e-9}}};

// The number of {"value": 0.5, "unit": "second"} in seconds; for anything else its JSON as a text, which is
// not a time.
ForeignJson seconds_of_quantity(const ForeignJson& quantity) {
  const bool whole = quantity.is_object() && quantity.contains("value") && quantity.contains("unit");
  if (!whole) return quantity.is_null() ? quantity : ForeignJson(quantity.dump());
  for (const auto& [unit, seconds] : kWallClockUnits)
    if (quantity["unit"] == std::string(unit))
      return quantity["value"].is_number() ? ForeignJson(quantity["value"].get<double>() * seconds)
                                           : quantity["value"];
  return quantity.dump();
}

const ForeignJson& member_or_null(const ForeignJson& object, const char* name) {
  static const ForeignJson null;
  return object.is_object() && object.contains(name) ? object[name] : null;
}

void add_runs(ForeignJson& to) {
  ForeignJson times = ForeignJson::array(), exit_codes = ForeignJson::array();
  for (const ForeignJson& each : to["measurements"]) {
    times.push_back(seconds_of_quantity(member_or_null(each, "time_wall_clock")));
    const bool says_how_it_ended = each.is_object() && each.contains("exit_code");
    exit_codes.push_back(says_how_it_ended ? each["exit_code"] : ForeignJson(0));
  }
  to["times"] = std::move(times);
  to["exit_codes"] = std::move(exit_codes);
}

// The name and the parameters, which distinguish results apart from their commands.
std::string name_and_parameters(const ForeignJson& result) {
  return result["name"].dump() + member_or_null(result, "parameters").dump();
}

}  // namespace

bool is_of_hyperfine_2(const ForeignJson& file) {
  if (member_or_null(member_or_null(file, "metadata"), "hyperfine_version").is_string()) return true;
  return std::ranges::any_of(file["results"], [](const ForeignJson& result) {  // the first may be invalid
    return member_or_null(result, "command").is_string() && result.contains("measurements") &&
           !result.contains("configuration");
  });
}

ForeignJson as_of_hyperfine_1(const ForeignJson& results) {
  std::map<std::string, std::set<std::string>> commands;
  const auto has_name = [](const ForeignJson& result) {
    return member_or_null(result, "name").is_string() && member_or_null(result, "command").is_string();
  };
  for (const ForeignJson& result : results)
    if (has_name(result)) commands[name_and_parameters(result)].insert(result["command"]);
  ForeignJson made = results;
  for (ForeignJson& result : made) {
    if (!result.is_object()) continue;
    if (has_name(result)) {
      const bool one_command = commands[name_and_parameters(result)].size() == 1;
      const auto name = result["name"].get<std::string>();
      result["command"] = one_command ? name : name + ": " + result["command"].get<std::string>();
    }
    if (member_or_null(result, "parameters").is_object())
      for (auto& [name, value] : result["parameters"].items())
        if (value.is_object() && value.contains("value")) value = ForeignJson(value["value"]);
    result.erase("times");
    if (member_or_null(result, "measurements").is_array()) add_runs(result);
  }
  return made;
}

}  // namespace kernsweep
