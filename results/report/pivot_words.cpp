#include "results/report/pivot_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "results/text/units.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kPivotNameBytes = 60;

}  // namespace

std::string text_of_metric(double number, const std::string& unit) {
  if (std::isnan(number)) return "-";
  if (unit == "s") return text_of_seconds(number);
  if (unit == "B") return text_of_bytes(number);
  return text_of_number(number);
}

std::string metric_in_words(const PivotAnswer& answer) {
  const bool told = answer.unit.empty() || answer.unit == "s" || answer.unit == "B";
  return fmt::format("{}{}, {} is better", answer.about.metric, told ? "" : " in " + answer.unit,
                     name_of(answer.about.better));
}

std::string word_of_pivot(const std::string& text) {
  return one_line(text, kPivotNameBytes);
}

std::string everywhere_in_words(const PivotAnswer& answer) {
  std::string everywhere;
  for (const auto& [name, value] : answer.everywhere)
    everywhere += fmt::format(" {}={}", word_of_pivot(name), word_of_pivot(value.to_text()));
  return everywhere.empty() ? "" : "everywhere:" + everywhere + "\n";
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
