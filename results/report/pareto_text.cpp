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

constexpr std::size_t kParetoNameBytes = 60;

Value finite_value(double number) {
  return std::isfinite(number) ? Value(number) : Value();
}

std::string json_of_settings(const std::vector<std::pair<std::string, Value>>& members) {
  JsonObject object;
  for (const auto& [name, value] : members) object.add(name, value);
  return object.text();
}

std::string json_of_problem(const ParetoProblem& problem) {
  std::string points;
  for (const ParetoPoint& point : problem.points) {
    std::string numbers;
    for (const ParetoNumber& number : point.numbers) {
      JsonObject one;
      one.add("value", finite_value(number.number))
          .add("low", told_bound(number.bounds.low, number.number));
      one.add("high", told_bound(number.bounds.high, number.number));
      numbers += (numbers.empty() ? "" : ", ") + one.text();
    }
    JsonObject one;
    one.add("place", name_of(point.place)).add_raw("settings", json_of_settings(point.settings));
    one.add_raw("numbers", "[" + numbers + "]").count("processes", point.processes);
    one.count("result", point.result).add("disturbed", point.disturbed);
    points += (points.empty() ? "" : ", ") + one.text();
  }
  JsonObject object;
  object.add_raw("problem", json_of_settings(problem.problem));
  return object.add_raw("points", "[" + points + "]").text();
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
  std::string everywhere;
  for (const auto& [name, value] : answer.everywhere)
    everywhere += fmt::format(" {}={}", one_line(name, kParetoNameBytes),
                              one_line(value.to_text(), kParetoNameBytes));
  if (!everywhere.empty()) text += "everywhere:" + everywhere + "\n";
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
  std::string metrics, problems;
  for (const ParetoMetric& metric : answer.metrics) {
    JsonObject one;
    one.add("name", metric.name).add("unit", metric.unit);
    metrics += (metrics.empty() ? "" : ", ") + one.add("better", name_of(metric.better)).text();
  }
  for (const ParetoProblem& problem : answer.problems)
    problems += (problems.empty() ? "\n  " : ",\n  ") + json_of_problem(problem);
  const BestAnswer& about = answer.about;
  JsonObject left_out, object;
  left_out.count("failed", about.left_out_failed).count("without", about.left_out_without);
  left_out.count("grade", about.left_out_grade);
  object.add("sweep", about.sweep).count("sweep_id", about.id.value);
  object.add("worst_grade", std::string(1, about.worst_grade)).add_raw("metrics", "[" + metrics + "]");
  object.add_raw("everywhere", json_of_settings(answer.everywhere)).add("confidence", 1 - answer.alpha);
  object.add_raw("problems", "[" + problems + "]").count("without_a_metric", answer.incomplete);
  object.count("jobs", about.jobs);
  return object.add_raw("left_out", left_out.text()).text();
}

}  // namespace kernsweep
