#include "results/report/scaling_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/answer_text.hpp"
#include "results/report/json_object.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kScalingNameBytes = 60;

std::string text_of_share(double share) {
  if (std::isnan(share)) return "-";
  const std::string text = fmt::format("{:.1f} %", 100 * share);
  return text == "-0.0 %" ? "0.0 %" : text;
}

Value value_of_threads(double threads) {
  const bool whole = threads == std::floor(threads) && threads < 1e9;
  return whole ? Value(static_cast<std::int64_t>(threads)) : Value(threads);
}

std::string text_of_points(const ScalingAnswer& answer) {
  RowSet table;
  for (const auto& [name, value] : answer.series.front().of) table.columns.push_back(name);
  table.columns.push_back(answer.axis);
  TableStyle style{.drop_empty_columns = true, .settings = table.columns.size()};
  for (const char* name : {"median_s", "speedup", "least", "most", "efficiency", "result"})
    table.columns.emplace_back(name);
  for (const ScalingSeries& series : answer.series)
    for (const ScalingPoint& point : series.points) {
      std::vector<Value> row;
      for (const auto& [name, value] : series.of) row.push_back(value);
      const bool first = &point == &series.points.front();
      const auto bound = [&](double number) { return first ? Value() : told_bound(number, point.speedup); };
      row.insert(row.end(),
                 {value_of_threads(point.threads), finite_value(point.median_s),
                  finite_value(point.speedup), bound(point.bounds.low), bound(point.bounds.high)});
      row.emplace_back(text_of_share(point.efficiency) + (point.disturbed ? " (disturbed)" : ""));
      row.emplace_back(static_cast<std::int64_t>(point.result));
      table.rows.push_back(std::move(row));
    }
  return text_table(table, style);
}

std::string text_of_fits(const ScalingAnswer& answer) {
  RowSet table;
  for (const auto& [name, value] : answer.series.front().of) table.columns.push_back(name);
  const TableStyle style{.drop_empty_columns = true, .settings = table.columns.size()};
  for (const char* name : {"serial", "low", "high", "never more than", "off the law"})
    table.columns.emplace_back(name);
  bool two = false, beyond = false;
  for (const ScalingSeries& series : answer.series) {
    std::vector<Value> row;
    for (const auto& [name, value] : series.of) row.push_back(value);
    const AmdahlFit& fit = series.fit;
    two = two || series.points.size() == 2;
    beyond = beyond || fit.serial < -0.0005 || fit.serial > 1.0005;  // as it is printed
    row.insert(row.end(), {Value(text_of_share(fit.serial)), Value(text_of_share(fit.bounds.low)),
                           Value(text_of_share(fit.bounds.high))});
    row.push_back(fit.bounds.low > 0.0005 ? Value(fmt::format("{:.3g}x", 1 / fit.bounds.low)) : Value());
    row.emplace_back(text_of_share(fit.off));
    table.rows.push_back(std::move(row));
  }
  std::string text = fmt::format(
      "\nAmdahl's law, fitted: the share of the time that does not get faster, with {:g} % confidence\n{}",
      100 * (1 - answer.alpha), text_table(table, style));
  if (beyond)
    text +=
        "Below 0 %: faster than the law allows, for example because more cores have more cache; above 100 "
        "%: slower\n";
  if (two)
    text +=
        fmt::format("With two values of {} any times fit the law, so this does not show whether it holds\n",
                    one_line(answer.axis, kScalingNameBytes));
  return text;
}

std::string json_of_series(const ScalingSeries& series) {
  const auto of_point = [](const ScalingPoint& point) {
    JsonObject one;
    one.add("threads", value_of_threads(point.threads)).add("median_s", point.median_s);
    one.add("speedup", point.speedup).add("speedup_low", told_bound(point.bounds.low, point.speedup));
    one.add("speedup_high", told_bound(point.bounds.high, point.speedup));
    one.add("efficiency", point.efficiency).count("processes", point.processes);
    return one.count("result", point.result).add("disturbed", point.disturbed).text();
  };
  JsonObject fit, object;
  fit.add("serial", series.fit.serial).add("low", series.fit.bounds.low);
  fit.add("high", series.fit.bounds.high).add("largest_deviation", series.fit.off);
  object.add_raw("of", json_of_members(series.of)).add_raw("points", json_list(series.points, of_point));
  return object.add_raw("amdahl", fit.text()).text();
}

}  // namespace

std::string text_of(const ScalingAnswer& answer, const std::string& database) {
  if (answer.series.empty() && answer.single == 0) return text_of(answer.about, database, 0);
  if (answer.series.empty())
    return fmt::format("no speedup: each setting has results of one value of {} only\n",
                       one_line(answer.axis, kScalingNameBytes));
  std::string text = text_of_everywhere(answer.everywhere) + text_of_points(answer) + text_of_fits(answer);
  if (answer.single > 0)
    text += fmt::format("{} left out: fewer than two values of {} have results\n",
                        counted(answer.single, "setting is", "settings are"),
                        one_line(answer.axis, kScalingNameBytes));
  return text;
}

std::string to_json(const ScalingAnswer& answer) {
  std::string all;
  for (const ScalingSeries& series : answer.series)
    all += (all.empty() ? "\n  " : ",\n  ") + json_of_series(series);
  const BestAnswer& about = answer.about;
  JsonObject object;
  object.add("sweep", about.sweep).count("sweep_id", about.id.value);
  object.add("worst_grade", std::string(1, about.worst_grade)).add("axis", answer.axis);
  object.add_raw("everywhere", json_of_members(answer.everywhere)).add_raw("series", "[" + all + "]");
  object.count("series_of_one_point", answer.single).count("jobs", about.jobs);
  return object.add_raw("left_out", json_of_left_out(about)).text();
}

}  // namespace kernsweep
