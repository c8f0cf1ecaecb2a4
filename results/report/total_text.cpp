#include "results/report/total_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/report/answer_text.hpp"
#include "results/report/json_object.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kTotalNameBytes = 60;

Value known_number(double number) {
  return std::isfinite(number) && number > 0 ? Value(number) : Value();
}

std::string text_of_pairs(const NamedValues& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", one_line(name, kTotalNameBytes),
                        value.is_null() ? "unset" : one_line(value.to_text()));
  return text;
}

std::string text_of_choice(const TotalAnswer& answer, const TotalChoice& choice) {
  if (answer.same == std::vector<std::string>{"variant"}) return one_line(choice.values.front().to_text());
  NamedValues pairs;
  for (std::size_t i = 0; i < choice.values.size(); ++i)
    pairs.emplace_back(answer.same[i], choice.values[i]);
  return text_of_pairs(pairs);
}

// The columns of a layer that are shown: its label if that distinguishes layers, else all.
std::vector<std::size_t> shown_columns(const TotalAnswer& answer, const TotalNetwork& network) {
  std::vector<std::size_t> all;
  for (std::size_t c = 0; c < answer.layer.size(); ++c) all.push_back(c);
  const auto label = std::ranges::find(answer.layer, "label");
  if (label == answer.layer.end()) return all;
  const auto at = static_cast<std::size_t>(label - answer.layer.begin());
  std::set<std::string> labels;
  for (const TotalLayer& layer : network.layers) labels.insert(layer.values[at].to_text());
  return labels.size() == network.layers.size() ? std::vector<std::size_t>{at} : all;
}

std::string text_of_layers(const TotalAnswer& answer, const TotalNetwork& network) {
  RowSet table;
  const std::vector<std::size_t> columns = shown_columns(answer, network);
  for (const std::size_t c : columns) table.columns.push_back(answer.layer[c]);
  const TableStyle style{.settings = table.columns.size()};
  for (const char* name : {"count", "best", "median_s", "share", "verdict"})
    table.columns.emplace_back(name);
  if (network.has_single) {
    table.columns.push_back("with " + text_of_choice(answer, network.choices.front()));
    for (const char* name : {"single_s", "shown"}) table.columns.emplace_back(name);
  }
  for (const TotalLayer& layer : network.layers) {
    std::vector<Value> row;
    for (const std::size_t c : columns) row.push_back(layer.values[c]);
    const bool whole = layer.count == std::floor(layer.count) && layer.count < 1e15;
    row.push_back(whole ? Value(static_cast<std::int64_t>(layer.count)) : Value(layer.count));
    row.emplace_back(layer.best.setting + (layer.best.disturbed ? " (disturbed)" : ""));
    row.push_back(known_number(layer.best.median_s));
    row.emplace_back(fmt::format("{:.1f} %", 100 * layer.share));
    row.push_back(layer.verdict.empty() ? Value() : Value(layer.verdict));
    if (network.has_single) {
      const bool same = layer.single.setting == layer.best.setting;
      row.emplace_back(same ? "the same" : layer.single.setting);
      row.push_back(known_number(layer.single.median_s));
      row.push_back(same ? Value() : Value(layer.shown ? "slower" : "not decided"));
    }
    table.rows.push_back(std::move(row));
  }
  return text_table(table, style);
}

void add_total(RowSet& table, const std::string& name, const TotalTime& time, double speedup,
               const Interval& bounds) {
  const auto told = [&](double bound) { return told_bound(bound, speedup); };
  table.rows.push_back({Value(name), known_number(time.seconds), known_number(time.bounds.low),
                        known_number(time.bounds.high), known_number(speedup), told(bounds.low),
                        told(bounds.high)});
}

std::string text_of_totals(const TotalAnswer& answer, const TotalNetwork& network) {
  RowSet table{{"total", "time_s", "low_s", "high_s", "speedup", "least", "most"}, {}};
  const MeanRatio& best = network.best_saves.of;
  const double saved = network.has_single ? best.ratio : kUnknown;
  add_total(table, "best of each layer", network.best, saved, best.bounds);
  if (network.has_single)
    add_total(table, "mixed where shown faster", network.mixed, network.mixed_saves.of.ratio,
              network.mixed_saves.of.bounds);
  std::string missing;
  for (const TotalChoice& choice : network.choices) {
    const std::string name = text_of_choice(answer, choice);
    if (std::isnan(choice.time.seconds)) {
      missing += fmt::format("{} has no total: no result in {} of {}\n", name,
                             network.layers.size() - choice.layers,
                             counted(network.layers.size(), "layer", "layers"));
      continue;
    }
    const MeanRatio& slower = choice.slower.of;
    add_total(table, name, choice.time, 1 / slower.ratio, {1 / slower.bounds.high, 1 / slower.bounds.low});
  }
  return text_table(table) + missing;
}

std::string text_of_mixing(const TotalAnswer& answer, const TotalNetwork& network) {
  if (!network.has_single) {
    return fmt::format("No {} has a result in every layer, so there is no single choice to compare with\n",
                       fmt::join(answer.same, ", "));
  }
  const std::string single = text_of_choice(answer, network.choices.front());
  std::string text;
  if (network.choices.size() > 1 && !std::isnan(network.choices[1].time.seconds) &&
      !network.choices[1].slower.shown)
    text += fmt::format("It is not shown that {} takes less time than {}\n", single,
                        text_of_choice(answer, network.choices[1]));
  if (network.mixed_saves.shown)
    return text + fmt::format(
                      "Mixing saves {:.1f} % of the time of {} alone, at least {:.1f} %: in {} of {} "
                      "another setting is shown to be faster\n",
                      100 * (1 - 1 / network.mixed_saves.of.ratio), single,
                      100 * (1 - 1 / std::max(1.0, network.mixed_saves.of.bounds.low)), network.shown,
                      counted(network.layers.size(), "layer", "layers"));
  return text + fmt::format(
                    "It is not shown that mixing is faster than {} alone: {} of {} {} another best "
                    "setting, {} of them shown to be faster\n",
                    single, network.others, counted(network.layers.size(), "layer", "layers"),
                    network.layers.size() == 1 ? "has" : "have", network.shown);
}

std::string json_of_point(const TotalPoint& point) {
  if (point.setting.empty()) return "null";
  JsonObject object;
  object.add("setting", point.setting).add("median_s", known_number(point.median_s));
  object.count("processes", point.processes).count("result", point.result);
  return object.add("disturbed", point.disturbed).text();
}

std::string json_of_time(const TotalTime& time) {
  if (!std::isfinite(time.seconds)) return "null";
  JsonObject object;
  object.add("seconds", time.seconds).add("low", known_number(time.bounds.low));
  return object.add("high", known_number(time.bounds.high)).text();
}

std::string json_of_ratio(const TotalRatio& ratio, bool known) {
  if (!known) return "null";
  JsonObject object;
  object.add("ratio", ratio.of.ratio).add("low", known_number(ratio.of.bounds.low));
  return object.add("high", known_number(ratio.of.bounds.high)).add("shown", ratio.shown).text();
}

std::string json_of_values(const std::vector<std::string>& names, const std::vector<Value>& values) {
  JsonObject object;
  for (std::size_t i = 0; i < names.size(); ++i) object.add(names[i], values[i]);
  return object.text();
}

std::string json_of_network(const TotalAnswer& answer, const TotalNetwork& network) {
  JsonObject object;
  object.add_raw("of", json_of_members(network.of));
  object.add_raw(
      "layers", json_list(network.layers, [&](const TotalLayer& layer) {
        JsonObject one;
        one.add_raw("layer", json_of_values(answer.layer, layer.values)).add("count", layer.count);
        one.add("share", layer.share)
            .add("verdict", layer.verdict.empty() ? Value() : Value(layer.verdict));
        one.add_raw("best", json_of_point(layer.best)).add_raw("single", json_of_point(layer.single));
        return one.add("shown", layer.shown).text();
      }));
  object.add_raw("best", json_of_time(network.best));
  object.add_raw(
      "choices", json_list(network.choices, [&](const TotalChoice& choice) {
        JsonObject one;
        one.add_raw("same", json_of_values(answer.same, choice.values)).count("layers", choice.layers);
        one.add_raw("time", json_of_time(choice.time));
        return one.add_raw("slower", json_of_ratio(choice.slower, std::isfinite(choice.time.seconds)))
            .text();
      }));
  object.add_raw("best_saves", json_of_ratio(network.best_saves, network.has_single));
  object.add_raw("mixed", json_of_time(network.mixed));
  object.add_raw("mixed_saves", json_of_ratio(network.mixed_saves, network.has_single));
  object.count("layers_with_another_best", network.others).count("layers_shown", network.shown);
  return object.text();
}

}  // namespace

std::string text_of(const TotalAnswer& answer, const std::string& database) {
  if (answer.networks.empty()) return text_of(answer.about, database, 0);
  std::string text, follow;
  for (const std::string& name : answer.follow)
    follow += (follow.empty() ? "" : ", ") + one_line(name, kTotalNameBytes);
  for (const TotalNetwork& network : answer.networks) {
    const std::string of = text_of_pairs(network.of);
    text += fmt::format("{}{}{}{}\n", text.empty() ? "" : "\n", of, of.empty() ? "" : ": ",
                        counted(network.layers.size(), "layer", "layers"));
    if (network.layers.size() < answer.layers)
      text += fmt::format(
          "only {} of the {} layers of the network are added up, so the totals are too low: the "
          "others have no result here, or the question leaves them out\n",
          network.layers.size(), answer.layers);
    text += text_of_layers(answer, network) + "\n" + text_of_totals(answer, network) +
            text_of_mixing(answer, network);
  }
  if (!follow.empty())
    text += "Of one network, because they follow from the layer: values of " + follow + "\n";
  return text;
}

std::string to_json(const TotalAnswer& answer) {
  std::string networks;
  for (const TotalNetwork& network : answer.networks)
    networks += (networks.empty() ? "\n  " : ",\n  ") + json_of_network(answer, network);
  const BestAnswer& about = answer.about;
  JsonObject object;
  object.add("sweep", about.sweep).count("sweep_id", about.id.value);
  object.add("worst_grade", std::string(1, about.worst_grade)).add_raw("layer", json_list(answer.layer));
  object.add_raw("follow", json_list(answer.follow));
  object.add_raw("same", json_list(answer.same));
  object.add("layers", answer.layers > 0 ? Value(static_cast<std::int64_t>(answer.layers)) : Value());
  object.add_raw("networks", "[" + networks + "]").count("jobs", about.jobs);
  return object.add_raw("left_out", json_of_left_out(about)).text();
}

}  // namespace kernsweep
