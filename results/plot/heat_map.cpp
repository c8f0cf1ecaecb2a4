#include "results/plot/heat_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/plot/drawn_tally.hpp"
#include "results/plot/svg_parts.hpp"
#include "results/report/pivot_words.hpp"
#include "results/text/heat.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kHeatNameMax = 32;
constexpr double kHeatLine = 22, kHeatGap = 14, kHeatBox = 12;  // in pixels
// From the best of the row to more than twice as bad; black text is readable on each, and a printer without
// colours keeps their order.
constexpr const char* kHeatFills[kHeatSteps] = {"#6baed6", "#9ecae1", "#c6dbef", "#e3edf8", "#f7fbff"};

struct HeatColumn {
  std::string head;
  std::vector<std::string> cells;
  bool right = false;
  double left = 0, width = 0;  // in pixels
};

double pixels_of(const std::string& text) {
  return kSvgCharacter * static_cast<double>(text_width(text));
}

class HeatMap {
 public:
  explicit HeatMap(const PivotAnswer& answer)
      : answer_(answer),
        rows_(std::min(answer.table.size(), kHeatRowsMax)),
        values_(std::min(answer.values.size(), kHeatColumnsMax)) {}

  std::string drawn() {
    sheet_.add_lines(columns_in_words(answer_), 14);
    if (const std::string everywhere = everywhere_in_words(answer_.everywhere); !everywhere.empty())
      sheet_.add_lines(everywhere, 12);
    lay_out();
    sheet_.down += kSvgLine / 2;
    line_of([](const HeatColumn& column) { return column.head; }, nullptr);
    for (std::size_t row = 0; row < rows_; ++row)
      line_of([&](const HeatColumn& column) { return column.cells[row]; }, &answer_.table[row]);
    legend();
    for (const std::string& line : lines_below(answer_, "")) sheet_.add_lines(line, 10);
    if (rows_ < answer_.table.size() || values_ < answer_.values.size())
      sheet_.add_lines(fmt::format("The first {} and {} of {} and {}; --where draws others",
                                   counted(rows_, "row", "rows"), counted(values_, "column", "columns"),
                                   answer_.table.size(), answer_.values.size()),
                       10);
    if (const std::string left_out = first_line_of_left_out(answer_.about); !left_out.empty())
      sheet_.add_lines(left_out, 10);
    return sheet_.document(answer_.about.sweep + ": " + columns_in_words(answer_));
  }

 private:
  void lay_out() {
    const std::vector<char> told = told_by_label(answer_);
    const auto labels = labels_of_rows(answer_);
    for (std::size_t c = 0; c < answer_.rows.size(); ++c)
      if (told[c] == 0) columns_.push_back(head_column(c, labels[c]));
    heads_ = columns_.size();
    const std::vector<std::string> names = labels_apart(answer_.values);
    for (std::size_t v = 0; v < values_; ++v) columns_.push_back(value_column(v, names[v]));
    double left = kSvgMargin;
    for (HeatColumn& column : columns_) {
      double width = pixels_of(column.head);
      for (const std::string& cell : column.cells) width = std::max(width, pixels_of(cell));
      column.left = left;
      column.width = width + kHeatGap;
      left += column.width;
    }
    sheet_.width = std::max(sheet_.width, left + kSvgMargin);
  }

  HeatColumn head_column(std::size_t at, const std::vector<std::string>& labels) const {
    HeatColumn column{.head = shortened(answer_.rows[at], kHeatNameMax), .cells = {}, .right = true};
    for (std::size_t row = 0; row < rows_; ++row) {
      const Value& value = answer_.table[row].values[at];
      column.cells.push_back(value.is_null() ? "-" : labels[row]);
      column.right = column.right && (value.number() || value.is_null());
    }
    return column;
  }

  HeatColumn value_column(std::size_t at, const std::string& label) const {
    HeatColumn column{.head = label, .cells = {}, .right = true};
    for (std::size_t row = 0; row < rows_; ++row) {
      const PivotCell& cell = answer_.table[row].cells[at];
      std::string text = text_of_metric(cell.number, answer_.unit);
      for (const char sign : signs_of(cell))
        if (sign != ' ') text += " " + std::string(1, sign);
      column.cells.push_back(std::isnan(cell.number) ? "" : text);
    }
    return column;
  }

  // Writes one line of the table; `row` is null for the heads.
  void line_of(const auto& text_of_column, const PivotRow* row) {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const HeatColumn& column = columns_[c];
      if (row != nullptr && c >= heads_) {
        const auto step = heat_step(times_as_bad(answer_, *row, row->cells[c - heads_]));
        any_colour_ = any_colour_ || step;
        if (step)
          sheet_.body += svg_box({column.left + 1, sheet_.down + 1}, column.width - 2, kHeatLine - 2,
                                 kHeatFills[*step]);
      }
      const double at = column.right ? column.left + column.width - kHeatGap / 2 : column.left;
      sheet_.body += svg_text({at, sheet_.down + 15}, column.right ? SvgAnchor::end : SvgAnchor::start,
                              text_of_column(column), 12);
    }
    sheet_.down += kHeatLine;
  }

  void legend() {
    if (!any_colour_) return;
    sheet_.down += kSvgLine / 2;
    double left = kSvgMargin;
    for (std::size_t step = 0; step < kHeatSteps; ++step) {
      const std::string words = words_of_heat_step(step);
      sheet_.body += svg_box({left, sheet_.down}, kHeatBox, kHeatBox, kHeatFills[step]);
      sheet_.body += svg_text({left + kHeatBox + 5, sheet_.down + 10}, SvgAnchor::start, words, 10);
      left += kHeatBox + 5 + pixels_of(words) * 10 / 12 + kHeatGap;
    }
    sheet_.down += kSvgLine;
  }

  const PivotAnswer& answer_;
  std::size_t rows_, values_, heads_ = 0;
  bool any_colour_ = false;
  std::vector<HeatColumn> columns_;
  SvgSheet sheet_;
};

}  // namespace

std::string heat_map_of(const PivotAnswer& answer) {
  return HeatMap(answer).drawn();
}

}  // namespace kernsweep
