// Which columns of a command's axes a database stores as text, and whether earlier versions passed other
// spellings to programs.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "language/plan/builder.hpp"
#include "language/space/spelling.hpp"

namespace kernsweep {
namespace {

// Whether earlier versions passed another spelling of this number to programs.
bool gets_another_word(const Value& value) {
  if (!value.number()) return false;
  const std::string former =
      value.integer() ? Value(*value.integer()).to_text() : Value(*value.real()).to_text();
  return value.word() != nullptr ? *value.word() != former
                                 : value.real() != nullptr && digits_of(*value.real()) != former;
}

// Inspects the values of one column.
struct WordsOfColumn {
  std::map<double, std::string> word_of;
  bool as_text = false, respelled = false, floats = false;

  void look_at(const Value& value) {
    respelled = respelled || gets_another_word(value);
    floats = floats || value.real() != nullptr;
    if (value.word() == nullptr) return;
    const auto [at, fresh] = word_of.try_emplace(*value.number(), *value.word());
    as_text = as_text || loses_its_word(value) || (!fresh && at->second != *value.word());
  }
};

}  // namespace

std::optional<Value> PlanBuilder::value_of_column(const Node& node, std::uint32_t column) const {
  auto value = value_in_kind(node, kind_of_column_[column]);
  // Answers print booleans in the form of the database.
  if (!value && kind_of_column_[column] == ValueKind::boolean && (node.scalar == "0" || node.scalar == "1"))
    value = Value(node.scalar == "1");
  if (!document_.passed.keep_word_of(plan_->sweep.columns[column].name)) return value;
  // A program reads text: 1e3 and 2.5 may occur together with whole numbers.
  if (!value && kind_of_column_[column] == ValueKind::integer) value = value_in_kind(node, ValueKind::real);
  if (value) value = with_word(node.scalar, *value);
  return value;
}

Status PlanBuilder::settle_words() {
  Sweep& sweep = plan_->sweep;
  std::map<std::uint32_t, WordsOfColumn> passed;
  for (const std::string& name : document_.passed.names)
    if (const auto column = column_named(name)) passed.try_emplace(*column);
  for (std::size_t a = 0; a < plan_->axes.size(); ++a)
    for (std::size_t f = 0; f < plan_->axes[a].fields.size(); ++f) {
      const auto found = passed.find(plan_->columns_of_axis[a][f]);
      if (found == passed.end()) continue;
      for (const Value& value : plan_->axes[a].fields[f].values.listed()) found->second.look_at(value);
    }
  for (auto& [column, words] : passed) {
    for (const IncludedPoint& point : plan_->includes) words.look_at(point.values[column]);
    sweep.columns[column].as_text = words.as_text;
    sweep.columns[column].as_floats = words.floats;
    // The result of a formula is not known in advance; its floats were passed as 2.0 and 1e+05.
    const bool computed = sweep.columns[column].origin == Column::Origin::derived;
    sweep.respelled = sweep.respelled || words.respelled || computed;
  }
  for (const DerivedColumn& derived : plan_->derived) {
    const auto source = derived.repeated();
    if (!source) continue;
    sweep.columns[derived.column].as_text = sweep.columns[*source].as_text;
    sweep.columns[derived.column].as_floats = sweep.columns[*source].as_floats;
  }
  note_lost_words();
  return Done{};
}

// A computed number has no spelling, also where it is the number of a column.
void PlanBuilder::note_lost_words() {
  constexpr std::uint64_t kPointsOfNote = 4096;
  std::vector<Value> values;
  for (const DerivedColumn& derived : plan_->derived) {
    const auto& columns = derived.formula.columns;
    const bool passed = document_.passed.keep_word_of(plan_->sweep.columns[derived.column].name);
    if (!passed || derived.repeated() ||
        std::ranges::none_of(columns, [&](auto each) { return plan_->sweep.columns[each].as_text; }))
      continue;
    const auto lost = [&](std::uint32_t column) {
      return loses_its_word(values[column]) && is_same_number(values[column], values[derived.column]);
    };
    for (std::uint64_t at = 0; at < std::min(plan_->raw_points(), kPointsOfNote); ++at) {
      plan_->point_at(at, values);
      const auto column = std::ranges::find_if(columns, lost);
      if (column == columns.end()) continue;
      plan_->notes.push_back(fmt::format(
          "{}: '{}' is computed, so a program gets {} where '{}' is written as {}", derived.formula.where,
          plan_->sweep.columns[derived.column].name, with_digits(values[derived.column]).to_text(),
          plan_->sweep.columns[*column].name, values[*column].to_text()));
      break;
    }
  }
}

}  // namespace kernsweep
