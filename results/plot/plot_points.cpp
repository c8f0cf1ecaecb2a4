#include "results/plot/plot_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "results/report/pivot_words.hpp"
#include "results/text/table.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kPlotNameColumns = 32;

// The roles of the rows' columns: plot or series.
struct RolesOfRows {
  std::optional<std::size_t> x;  // none: the pivot's column is x
  std::vector<std::size_t> plot, series;
  std::vector<FollowingColumn> following;
};

// 3.1 and 3.10 of a command's axis are two values.
void append_key(const Value& value, std::string& key) {
  value.append_canonical(key);
  if (const auto* word = value.word()) key += "=" + *word;
}

// Whether each value of row `x` has one value of row `other`.
bool follows(const PivotAnswer& answer, std::size_t x, std::size_t other) {
  std::map<std::string, Value> value_of;
  return std::ranges::all_of(answer.table, [&](const PivotRow& row) {
    std::string key;
    append_key(row.values[x], key);
    return value_of.try_emplace(key, row.values[other]).first->second == row.values[other];
  });
}

// Whether each value of the column has one value of row `other`.
bool follows_column(const PivotAnswer& answer, std::size_t other) {
  std::vector<const Value*> value_of(answer.values.size(), nullptr);
  for (const PivotRow& row : answer.table)
    for (std::size_t v = 0; v < row.cells.size(); ++v) {
      if (std::isnan(row.cells[v].number)) continue;
      if (value_of[v] && *value_of[v] != row.values[other]) return false;
      value_of[v] = &row.values[other];
    }
  return true;
}

// The drawn column along which row `at`, which is of the problem and not requested, changes; empty: none. A
// setting never determines the problem, even if each of its values was measured with one problem.
std::string along_of(const PivotAnswer& answer, const std::optional<std::size_t>& x, std::size_t at) {
  if (x && answer.of_problem[*x] != 0 && follows(answer, *x, at)) return answer.rows[*x];
  return answer.column_of_problem && follows_column(answer, at) ? answer.column : "";
}

RolesOfRows roles_of_rows(const PivotAnswer& answer, const std::string& x) {
  RolesOfRows roles;
  // Requested rows follow the added ones; the cache and the host follow both.
  const bool is_row = answer.column != x;
  for (std::size_t at = 0; is_row && at < answer.rows.size(); ++at)
    if (answer.rows[at] == x && answer.added[at] == 0 && !roles.x) roles.x = at;
  for (std::size_t at = 0; at < answer.rows.size(); ++at) {
    if (roles.x == at) continue;
    const bool place = answer.rows[at] == "cache" || answer.rows[at] == "host";
    const std::string along = answer.added[at] != 0 && !place ? along_of(answer, roles.x, at) : "";
    if (!along.empty())
      roles.following.push_back(
          {shortened(answer.rows[at], kPlotNameColumns), shortened(along, kPlotNameColumns)});
    else if (answer.added[at] != 0 || place || !roles.x || at < *roles.x)
      roles.plot.push_back(at);
    else
      roles.series.push_back(at);
  }
  return roles;
}

std::string key_of(const PivotRow& row, const std::vector<std::size_t>& columns) {
  std::string key;
  for (const std::size_t at : columns) append_key(row.values[at], key);
  return key;
}

// Numbers texts in the order of first use.
class Numbering {
 public:
  std::size_t operator()(const std::string& key) {
    return number_of_.try_emplace(key, number_of_.size()).first->second;
  }

 private:
  std::map<std::string, std::size_t> number_of_;
};

}  // namespace

RowTitles::RowTitles(const PivotAnswer& answer)
    : answer_(answer), told_(told_by_label(answer)), labels_(labels_of_rows(answer)) {}

std::string RowTitles::of(std::size_t row, const std::vector<std::size_t>& columns) const {
  std::string title;
  for (const std::size_t at : columns)
    if (told_[at] == 0)
      title +=
          (title.empty() ? "" : " ") + shortened(answer_.rows[at], kPlotNameColumns) + "=" + label(row, at);
  return title;
}

DrawnPoints drawn_points(const PivotAnswer& answer, const std::string& x) {
  const RolesOfRows roles = roles_of_rows(answer, x);
  const RowTitles titles(answer);
  DrawnPoints drawn;
  drawn.following = roles.following;
  if (roles.x) drawn.by.push_back(shortened(answer.column, kPlotNameColumns));
  for (const std::size_t at : roles.series)
    drawn.by.push_back(shortened(answer.rows[at], kPlotNameColumns));
  const std::vector<std::string> names = labels_apart(answer.values);
  Numbering plots, rests, xs;
  std::map<std::pair<std::size_t, std::size_t>, std::string> name_of_series;  // by value, then by the rest
  std::vector<std::pair<std::size_t, std::size_t>> series_of_points;
  for (std::size_t r = 0; r < answer.table.size(); ++r) {
    const PivotRow& row = answer.table[r];
    const std::size_t plot = plots(key_of(row, roles.plot));
    if (plot == drawn.titles.size()) drawn.titles.push_back(titles.of(r, roles.plot));
    const std::size_t rest = rests(key_of(row, roles.series));
    for (std::size_t v = 0; v < row.cells.size(); ++v) {
      const PivotCell& cell = row.cells[v];
      if (std::isnan(cell.number)) continue;
      if (!(std::abs(cell.number) < kDrawnMax)) {
        ++drawn.not_finite;
        continue;
      }
      const Value& value = roles.x ? row.values[*roles.x] : answer.values[v];
      std::string key;
      append_key(value, key);
      const std::pair<std::size_t, std::size_t> place = {roles.x ? v : 0, rest};
      std::string& name = name_of_series[place];
      if (roles.x && name.empty()) {
        name = names[v];
        for (const std::size_t at : roles.series) name += ", " + titles.label(r, at);
      }
      series_of_points.push_back(place);
      drawn.points.push_back({.plot = plot, .x = &value, .x_place = xs(key), .cell = &cell});
    }
  }
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> number_of;
  for (const auto& [place, name] : name_of_series) {
    number_of[place] = drawn.series.size();
    drawn.series.push_back(name);
  }
  for (std::size_t i = 0; i < drawn.points.size(); ++i)
    drawn.points[i].series = number_of[series_of_points[i]];
  return drawn;
}

}  // namespace kernsweep
