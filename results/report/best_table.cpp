#include "results/report/best_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include "results/text/ratio_text.hpp"
#include "shared/text/metric_name.hpp"

namespace kernsweep {

namespace {

using BestKind = BestColumn::Kind;

Value of_bound(double x) {
  return x != 0 ? finite_value(x) : Value();
}
Value counted_value(std::uint64_t count) {
  return Value(static_cast<std::int64_t>(count));
}

// "gflops_low", "p99_low_s": the unit stays at the end.
std::string bound_of_metric(std::string name, const char* which) {
  const bool time = is_in_seconds(name);
  if (time) name.resize(name.size() - 2);
  return name + "_" + which + (time ? "_s" : "");
}

void add_numbers(const BestAnswer& answer, std::vector<BestColumn>& columns) {
  const bool of_time = answer.metric == "median_s";
  // Omits a bound that shows nothing, such as that of a result that was disturbed all the time.
  const auto told = [of_time](const BestRow& row, double bound) {
    return is_told(bound, of_time ? row.median_s : row.number) ? of_bound(bound) : Value();
  };
  const auto add_bounds = [&](const std::string& low, const std::string& high) {
    columns.push_back(
        {low, BestKind::evidence, [told](const BestRow& row) { return told(row, row.bounds.low); }});
    columns.push_back(
        {high, BestKind::evidence, [told](const BestRow& row) { return told(row, row.bounds.high); }});
  };
  columns.push_back(
      {"median_s", BestKind::number, [](const BestRow& row) { return finite_value(row.median_s); }});
  if (of_time) add_bounds("low_s", "high_s");
  columns.push_back(
      {"gflops", BestKind::number, [](const BestRow& row) { return finite_value(row.gflops); }});
  if (of_time) return;
  if (answer.metric != "gflops")
    columns.push_back(
        {answer.metric, BestKind::number, [](const BestRow& row) { return finite_value(row.number); }});
  add_bounds(bound_of_metric(answer.metric, "low"), bound_of_metric(answer.metric, "high"));
}

void add_evidence(const BestAnswer& answer, std::vector<BestColumn>& columns) {
  columns.push_back({"verdict", BestKind::number, [](const BestRow& row) {
                       return row.verdict ? Value(name_of(*row.verdict)) : Value();
                     }});
  for (BestColumn& column : std::vector<BestColumn>{
           {"times_better", BestKind::evidence,
            [](const BestRow& row) { return finite_value(row.times_better); }},
           {"times_better_low", BestKind::evidence,
            [](const BestRow& row) { return of_bound(row.times_better_bounds.low); }},
           {"times_better_high", BestKind::evidence,
            [](const BestRow& row) { return of_bound(row.times_better_bounds.high); }},
           {"runner_up", BestKind::evidence,
            [](const BestRow& row) { return row.runner_up ? Value(*row.runner_up) : Value(); }},
           {"processes", BestKind::evidence,
            [](const BestRow& row) { return counted_value(row.processes); }},
           {"processes_disturbed", BestKind::evidence,
            [](const BestRow& row) {
              return row.processes_disturbed > 0 ? counted_value(row.processes_disturbed) : Value();
            }},
           {"equal_within", BestKind::evidence,
            [](const BestRow& row) { return row.equal_within > 0 ? Value(row.equal_within) : Value(); }},
           {"processes_needed", BestKind::evidence, [](const BestRow& row) {
              return row.processes_needed > 0 ? counted_value(row.processes_needed) : Value();
            }}})
    columns.push_back(std::move(column));
  if (std::ranges::any_of(answer.rows, [](const BestRow& row) { return !row.outputs.empty(); }))
    columns.push_back({"outputs", BestKind::number, [](const BestRow& row) {
                         return row.outputs.empty() ? Value() : Value(row.outputs);
                       }});
  columns.push_back(
      {"result", BestKind::number, [](const BestRow& row) { return counted_value(row.result); }});
}

}  // namespace

std::vector<BestColumn> columns_of(const BestAnswer& answer) {
  std::vector<BestColumn> columns;
  for (std::size_t i = 0; i < answer.by.size(); ++i)
    columns.push_back(
        {answer.by[i], BestKind::problem, [i](const BestRow& row) { return row.problem[i]; }});
  if (answer.several_caches)
    columns.push_back({"cache", BestKind::place, [](const BestRow& row) { return row.cache; }});
  if (answer.several_hosts)
    columns.push_back({"host", BestKind::place, [](const BestRow& row) { return row.host; }});
  if (answer.several_software > 0)
    columns.push_back({"software", BestKind::place, [](const BestRow& row) { return row.software; }});
  if (!answer.by_variant)
    columns.push_back({"variant", BestKind::setting, [](const BestRow& row) { return row.variant; }});
  for (std::size_t i = 0; i < answer.settings.size(); ++i)
    columns.push_back(
        {answer.settings[i], BestKind::setting, [i](const BestRow& row) { return row.settings[i]; }});
  add_numbers(answer, columns);
  add_evidence(answer, columns);
  return columns;
}

RowSet table_of(const std::vector<BestRow>& rows, const std::vector<BestColumn>& columns) {
  RowSet table;
  std::ranges::transform(columns, std::back_inserter(table.columns), &BestColumn::name);
  for (const BestRow& row : rows) {
    std::vector<Value>& cells = table.rows.emplace_back();
    for (const BestColumn& column : columns) cells.push_back(column.of(row));
  }
  return table;
}

RowSet table_of(const SweepShares& shares) {
  std::vector<BestColumn> columns = columns_of(shares.best);
  std::erase_if(columns, [](const BestColumn& column) { return column.kind == BestKind::evidence; });
  RowSet table = table_of(shares.best.rows, columns);
  for (const char* added : {"share", "bound", "roof", "why"}) table.columns.emplace_back(added);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    std::vector<Value> cells(4);
    const auto& found = shares.calls[i];
    const auto share = found ? share_of_roof(*found->roofs, found->call)
                             : Result<RoofShare>(tl::unexpected<Error>(found.error()));
    if (share)
      cells = {share->share, name_of(share->bound), share->roof, Value()};
    else
      cells[3] = share.error().message;
    std::ranges::move(cells, std::back_inserter(table.rows[i]));
  }
  return table;
}

std::string take_common_reason(RowSet& table) {
  if (table.rows.size() < 2 || table.columns.empty() || table.columns.back() != "why") return "";
  const Value reason = table.rows.front().back();
  const auto has_it = [&](const std::vector<Value>& row) { return row.back() == reason; };
  if (reason.is_null() || !std::ranges::all_of(table.rows, has_it)) return "";
  table.columns.pop_back();
  for (std::vector<Value>& row : table.rows) row.pop_back();
  return fmt::format("No row has a share: {}\n", reason.to_text());
}

std::string text_of_same_builds(const BestAnswer& answer) {
  constexpr std::size_t kShown = 6;
  std::string text;
  for (const BestRow& row : answer.rows) {
    if (row.same_builds.empty()) continue;
    std::string names;
    for (const std::string& each :
         std::span(row.same_builds).first(std::min(kShown, row.same_builds.size())))
      names += (names.empty() ? "" : "; ") + each;
    if (row.same_builds.size() > kShown)
      names += fmt::format("; ... and {} more", row.same_builds.size() - kShown);
    text += fmt::format("Result {} runs the same built file as: {}. None of them is faster\n", row.result,
                        names);
  }
  return text;
}

}  // namespace kernsweep
