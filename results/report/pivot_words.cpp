#include "results/report/pivot_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kPivotNameBytes = 60;
constexpr std::size_t kLabelColumns = 32, kLabelEnd = 18;  // on a terminal

// The meaning of the marks of these cells; empty: there are none.
std::string marks_in_words(const PivotAnswer& answer) {
  bool used[4] = {}, disturbed = false, other_output = false;
  for (const PivotRow& row : answer.table)
    for (const PivotCell& cell : row.cells) {
      used[static_cast<std::size_t>(cell.mark)] = true;
      disturbed = disturbed || (cell.disturbed && !cell.other_output);
      other_output = other_output || cell.other_output;
    }
  std::vector<std::string> words;
  if (used[1])
    words.push_back(fmt::format("* the best of its row, with {:g} % confidence", 100 * (1 - answer.alpha)));
  if (used[2]) words.push_back(fmt::format("= as good within {:g} %", 100 * answer.margin));
  if (used[3]) words.emplace_back("? could also be best: not decided");
  if (disturbed) words.emplace_back("! measured only under disturbance");
  if (other_output) words.emplace_back("# its output differs between settings or processes");
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace

std::string metric_in_words(const PivotAnswer& answer) {
  return fmt::format("{}{}, {} is better", answer.about.metric,
                     is_unit_told(answer.unit) ? "" : " in " + answer.unit, name_of(answer.about.better));
}

std::string columns_in_words(const PivotAnswer& answer) {
  return fmt::format("{}; a column for each value of {}", metric_in_words(answer),
                     word_of_pivot(answer.column));
}

std::string signs_of(const PivotCell& cell) {
  constexpr const char* kSigns[] = {" ", "*", "=", "?"};
  const char* before = cell.other_output ? "#" : cell.disturbed ? "!" : " ";
  return before + std::string(kSigns[static_cast<std::size_t>(cell.mark)]);
}

double times_as_bad(const PivotAnswer& answer, const PivotRow& row, const PivotCell& cell) {
  if (!answer.not_compared.empty()) return kUnknown;
  const bool larger = answer.about.better == Better::larger;
  double best = larger ? -HUGE_VAL : HUGE_VAL;
  for (const PivotCell& other : row.cells)
    if (larger ? other.number > best : other.number < best) best = other.number;
  if (cell.number == best) return 1;
  if (!(cell.number > 0 && best > 0)) return kUnknown;
  return larger ? best / cell.number : cell.number / best;
}

std::vector<std::string> lines_below(const PivotAnswer& answer, const std::string& which) {
  std::vector<std::string> lines;
  if (std::string marks = marks_in_words(answer); !marks.empty()) lines.push_back(std::move(marks));
  const auto unjudged = [](const PivotRow& row) { return row.not_judged > 0; };
  if (const auto rows = static_cast<std::size_t>(std::ranges::count_if(answer.table, unjudged)); rows > 0)
    lines.push_back(
        fmt::format("Nothing is marked in {}: {} is not above zero in some process and has no logarithm",
                    counted(rows, "row", "rows"), answer.about.metric));
  if (!answer.not_compared.empty())
    lines.push_back(
        fmt::format("Cells of a row are different problems, because {} differs, and none is marked; "
                    "compare by a rate, as with --metric gflops",
                    word_of_pivot(answer.not_compared)));
  if (!answer.chosen.empty())
    lines.push_back("A cell shows the best of its settings: " + chosen_in_words(answer) + which);
  return lines;
}

std::string word_of_pivot(const std::string& text) {
  return one_line(text, kPivotNameBytes);
}

std::string label_of(const Value& value) {
  if (value.is_null()) return "(not set)";
  const std::string text = value.to_text();
  if (text_width(text) <= kLabelColumns) return shortened(text, kLabelColumns);
  std::size_t from = text.size();
  for (std::size_t characters = 0; from > 0 && characters < kLabelEnd;)
    if ((static_cast<unsigned char>(text[--from]) & 0xC0) != 0x80) ++characters;
  return shortened(text, kLabelColumns - kLabelEnd) + shortened(text.substr(from), kLabelEnd);
}

std::vector<std::string> labels_apart(std::span<const Value> values) {
  std::map<std::string, std::string> text_of;
  std::set<std::string> alike;
  for (const Value& value : values) {
    const std::string text = value.to_text();
    const auto [known, fresh] = text_of.try_emplace(label_of(value), text);
    if (!fresh && known->second != text) alike.insert(known->first);
  }
  std::vector<std::string> out;
  for (const Value& value : values) {
    std::string label = label_of(value);
    out.push_back(alike.contains(label) ? one_line(value.to_text()) : std::move(label));
  }
  return out;
}

LabelsByColumn labels_by_column(std::span<const std::pair<std::string, Value>> values) {
  std::map<std::string, std::vector<Value>> of_column;
  for (const auto& [column, value] : values) of_column[column].push_back(value);
  LabelsByColumn out;
  for (const auto& [column, all] : of_column) {
    const std::vector<std::string> labels = labels_apart(all);
    for (std::size_t i = 0; i < labels.size(); ++i) out[{column, all[i].to_text()}] = labels[i];
  }
  return out;
}

std::vector<std::vector<std::string>> labels_of_rows(const PivotAnswer& answer) {
  std::vector<std::vector<std::string>> labels;
  for (std::size_t at = 0; at < answer.rows.size(); ++at) {
    std::vector<Value> values;
    for (const PivotRow& row : answer.table) values.push_back(row.values[at]);
    labels.push_back(labels_apart(values));
  }
  return labels;
}

std::string chosen_in_words(const PivotAnswer& answer) {
  std::string names;
  for (const std::string& name : answer.chosen) names += (names.empty() ? "" : ", ") + word_of_pivot(name);
  return names;
}

std::vector<char> told_by_label(const PivotAnswer& answer) {
  std::vector<char> told(answer.rows.size(), 0);
  const auto label = std::ranges::find(answer.rows, "label");
  if (label == answer.rows.end()) return told;
  const auto at = static_cast<std::size_t>(label - answer.rows.begin());
  for (std::size_t c = 0; c < told.size(); ++c) {
    std::map<std::string, Value> value_of;
    const auto follows = [&](const PivotRow& row) {
      if (row.values[at].is_null()) return false;
      return value_of.try_emplace(row.values[at].to_text(), row.values[c]).first->second == row.values[c];
    };
    told[c] = c != at && answer.added[c] != 0 && std::ranges::all_of(answer.table, follows) ? 1 : 0;
  }
  return told;
}

}  // namespace kernsweep
