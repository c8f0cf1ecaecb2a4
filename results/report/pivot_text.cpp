#include "results/report/pivot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/answer_text.hpp"
#include "results/report/json_object.hpp"
#include "results/report/pivot_words.hpp"
#include "results/text/ratio_text.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kPivotNameColumns = 32;

struct PivotColumn {
  std::string head;
  std::vector<std::string> cells;
  std::vector<double> times;  // of each cell, for its colour; empty: no colours
  bool right = false;
  std::size_t width = 0;
};

PivotColumn head_column(const PivotAnswer& answer, std::size_t at, const std::vector<std::string>& labels) {
  PivotColumn column{.head = shortened(answer.rows[at], kPivotNameColumns)};
  bool numbers = true;
  for (std::size_t r = 0; r < answer.table.size(); ++r) {
    const PivotRow& row = answer.table[r];
    column.cells.push_back(row.values[at].is_null() ? "-" : labels[r]);
    numbers = numbers && (row.values[at].number() || row.values[at].is_null());
  }
  column.right = numbers;
  return column;
}

PivotColumn value_column(const PivotAnswer& answer, std::size_t at, const std::string& label) {
  PivotColumn column{.head = label + "  ", .right = true};
  for (const PivotRow& row : answer.table) {
    const PivotCell& cell = row.cells[at];
    column.cells.push_back(text_of_metric(cell.number, answer.unit) + signs_of(cell));
    column.times.push_back(times_as_bad(answer, row, cell));
  }
  return column;
}

void measure_width(PivotColumn& column) {
  column.width = text_width(column.head);
  for (const std::string& cell : column.cells) column.width = std::max(column.width, text_width(cell));
}

// The lines of these columns next to each other.
std::string lines_beside(const std::vector<const PivotColumn*>& columns, std::size_t rows,
                         const Screen& screen) {
  std::string out;
  for (std::size_t line = 0; line <= rows; ++line) {
    std::string text;
    std::size_t blanks = 0;  // not written yet, because no line may end with one
    for (const PivotColumn* column : columns) {
      const std::string& cell = line == 0 ? column->head : column->cells[line - 1];
      const std::size_t used =
          cell.find_last_not_of(' ') == std::string::npos ? 0 : cell.find_last_not_of(' ') + 1;
      const std::string shown = cell.substr(0, used);
      const std::size_t room = column->width - text_width(cell);
      const std::string space(blanks + (column->right ? room : 0), ' ');
      const double times = line == 0 || column->times.empty() ? kUnknown : column->times[line - 1];
      if (!shown.empty()) {
        text += space + coloured(shown, times, screen);
        blanks = cell.size() - used + (column->right ? 0 : room) + 2;
      } else {
        blanks = space.size() + cell.size() + (column->right ? 0 : room) + 2;
      }
    }
    out += text + "\n";
  }
  return out;
}

std::string text_of_table(const PivotAnswer& answer, const Screen& screen) {
  std::vector<PivotColumn> heads, values;
  const std::vector<char> told = told_by_label(answer);
  const auto labels = labels_of_rows(answer);
  for (std::size_t c = 0; c < answer.rows.size(); ++c)
    if (told[c] == 0) heads.push_back(head_column(answer, c, labels[c]));
  const std::vector<std::string> names = labels_apart(answer.values);
  for (std::size_t v = 0; v < names.size(); ++v) values.push_back(value_column(answer, v, names[v]));
  std::vector<const PivotColumn*> in_front;
  std::size_t front = 0;
  for (PivotColumn& column : heads) {
    measure_width(column);
    front += column.width + 2;
    in_front.push_back(&column);
  }
  for (PivotColumn& column : values) measure_width(column);
  std::string out;
  for (std::size_t first = 0; first < values.size();) {
    std::vector<const PivotColumn*> block = in_front;
    std::size_t used = front;
    do {
      used += values[first].width + 2;
      block.push_back(&values[first++]);
    } while (first < values.size() &&
             (screen.columns == 0 || used + values[first].width <= screen.columns));
    out += (out.empty() ? "" : "\n") + lines_beside(block, answer.table.size(), screen);
  }
  return out;
}

}  // namespace

std::string text_of(const PivotAnswer& answer, const Screen& screen, const std::string& database) {
  if (answer.table.empty()) return text_of(answer.about, database, 0);
  std::string text = columns_in_words(answer) + "\n";
  text += text_of_everywhere(answer.everywhere);
  text += text_of_table(answer, screen);
  for (const std::string& line : lines_below(answer, " (--json shows which)")) text += line + "\n";
  return text + text_of_colours(screen);
}

std::string to_json(const PivotAnswer& answer) {
  const auto of_cell = [](const PivotCell& cell) -> std::string {
    if (std::isnan(cell.number)) return "null";
    JsonObject one;
    one.add("value", cell.number).add("low", told_bound(cell.bounds.low, cell.number));
    one.add("high", told_bound(cell.bounds.high, cell.number));
    one.add("mark", cell.mark == PivotMark::none ? Value() : Value(name_of(cell.mark)));
    one.add("other_output", cell.other_output);
    one.add("disturbed", cell.disturbed).count("points", cell.points).count("processes", cell.processes);
    return one.add_raw("settings", json_of_members(cell.settings)).count("result", cell.result).text();
  };
  std::string table;
  for (const PivotRow& row : answer.table) {
    JsonObject values;
    for (std::size_t c = 0; c < answer.rows.size(); ++c) values.add(answer.rows[c], row.values[c]);
    JsonObject one;
    one.add_raw("row", values.text());
    one.add("verdict", row.verdict.empty() ? Value() : Value(row.verdict))
        .count("not_judged", row.not_judged);
    one.add_raw("cells", json_list(row.cells, of_cell));
    table += (table.empty() ? "\n  " : ",\n  ") + one.text();
  }
  const BestAnswer& about = answer.about;
  JsonObject object;
  object.add("sweep", about.sweep).count("sweep_id", about.id.value).add("metric", about.metric);
  object.add("unit", answer.unit).add("better", name_of(about.better));
  object.add("worst_grade", std::string(1, about.worst_grade)).add_raw("rows", json_list(answer.rows));
  object.add("column", answer.column).add_raw("values", json_list(answer.values));
  object.add_raw("everywhere", json_of_members(answer.everywhere));
  object.add("not_compared", answer.not_compared.empty() ? Value() : Value(answer.not_compared));
  object.add_raw("best_of_settings", json_list(answer.chosen)).add_raw("table", "[" + table + "]");
  object.count("jobs", about.jobs).add_raw("left_out", json_of_left_out(about));
  return object.text();
}

}  // namespace kernsweep
