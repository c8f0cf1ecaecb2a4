#include "results/report/pareto_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "results/report/answer_text.hpp"
#include "results/report/json_object.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

std::string json_of_problem(const ParetoProblem& problem) {
  const auto of_number = [](const ParetoNumber& number) {
    JsonObject one;
    one.add("value", number.number).add("low", told_bound(number.bounds.low, number.number));
    return one.add("high", told_bound(number.bounds.high, number.number)).text();
  };
  const auto of_point = [&](const ParetoPoint& point) {
    JsonObject one;
    one.add("place", name_of(point.place)).add_raw("settings", json_of_members(point.settings));
    one.add_raw("numbers", json_list(point.numbers, of_number)).count("processes", point.processes);
    return one.count("result", point.result).add("disturbed", point.disturbed).text();
  };
  JsonObject object;
  object.add_raw("problem", json_of_members(problem.problem));
  return object.add_raw("points", json_list(problem.points, of_point)).text();
}

}  // namespace

std::string text_of(const ParetoAnswer& answer, const std::string& database) {
  if (answer.problems.empty()) {
    if (answer.incomplete == 0) return text_of(answer.about, database, 0);
    return fmt::format("no point has all of these metrics; {} one\n",
                       counted(answer.incomplete, "point lacks", "points lack"));
  }
  std::string text;
  for (const ParetoMetric& metric : answer.metrics)
    text +=
        fmt::format("{}{}: {} is better", text.empty() ? "" : ", ", metric.name, name_of(metric.better));
  text += "\n";
  text += text_of_everywhere(answer.everywhere);
  RowSet table;
  for (const auto& [name, value] : answer.problems.front().problem) table.columns.push_back(name);
  for (const auto& [name, value] : answer.problems.front().points.front().settings)
    table.columns.push_back(name);
  const TableStyle style{.drop_empty_columns = true, .settings = table.columns.size()};
  for (const ParetoMetric& metric : answer.metrics) table.columns.push_back(metric.name);
  table.columns.insert(table.columns.end(), {"place", "result"});
  std::uint64_t behind = 0;
  for (const ParetoProblem& problem : answer.problems)
    for (const ParetoPoint& point : problem.points) {
      if (point.place == ParetoPlace::behind) {
        ++behind;
        continue;
      }
      std::vector<Value> row;
      for (const auto& [name, value] : problem.problem) row.push_back(value);
      for (const auto& [name, value] : point.settings) row.push_back(value);
      for (const ParetoNumber& number : point.numbers) row.push_back(finite_value(number.number));
      row.emplace_back(std::string(name_of(point.place)) + (point.disturbed ? " (disturbed)" : ""));
      row.emplace_back(static_cast<std::int64_t>(point.result));
      table.rows.push_back(std::move(row));
    }
  text += text_table(table, style);
  text +=
      fmt::format("{} behind: with {:g} % confidence another one is better in every metric\n",
                  behind == 1 ? "1 point lies" : grouped(behind) + " points lie", 100 * (1 - answer.alpha));
  if (answer.incomplete > 0)
    text += fmt::format("{} left out: one of these metrics is missing\n",
                        counted(answer.incomplete, "point is", "points are"));
  return text;
}

std::string to_json(const ParetoAnswer& answer) {
  const auto of_metric = [](const ParetoMetric& metric) {
    JsonObject one;
    return one.add("name", metric.name)
        .add("unit", metric.unit)
        .add("better", name_of(metric.better))
        .text();
  };
  std::string problems;
  for (const ParetoProblem& problem : answer.problems)
    problems += (problems.empty() ? "\n  " : ",\n  ") + json_of_problem(problem);
  const BestAnswer& about = answer.about;
  JsonObject object;
  object.add("sweep", about.sweep).count("sweep_id", about.id.value);
  object.add("worst_grade", std::string(1, about.worst_grade))
      .add_raw("metrics", json_list(answer.metrics, of_metric));
  object.add_raw("everywhere", json_of_members(answer.everywhere)).add("confidence", 1 - answer.alpha);
  object.add_raw("problems", "[" + problems + "]").count("without_a_metric", answer.incomplete);
  object.count("jobs", about.jobs);
  return object.add_raw("left_out", json_of_left_out(about)).text();
}

}  // namespace kernsweep
