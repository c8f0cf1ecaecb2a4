// Texts in --only that are typed without quotes, as answers print them.
#include <algorithm>
#include <iterator>

#include "language/plan/builder.hpp"
#include "language/space/left_out.hpp"
#include "shared/base/try.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {
namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

// Whether a text after this word no longer belongs to the column before it.
bool ends_comparison(std::string_view word) {
  constexpr std::string_view kWords[] = {"and", "or", "if", "else"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

}  // namespace

std::string PlanBuilder::take_listed_text(std::uint32_t column, bool ordered,
                                          std::string_view& rest) const {
  if (rest.starts_with('"') || rest.starts_with('\'')) return "";
  const auto begins = [&](std::string_view text) {
    return rest.starts_with(text) &&
           (rest.size() == text.size() || std::string_view(" \t),]").find(rest[text.size()]) != text.npos);
  };
  std::size_t longest = 0;
  Value found;
  const auto look_at = [&](const Value& value) {
    const std::string printed = value.text() != nullptr            ? one_line(*value.text())
                                : !ordered && is_no_literal(value) ? *value.word()
                                                                   : "";
    if (printed.size() <= longest || !begins(printed)) return;
    longest = printed.size();
    found = value;
  };
  for (const IncludedPoint& point : plan_->includes) look_at(point.values[column]);
  for (std::size_t a = 0; a < plan_->axes.size(); ++a)
    for (std::size_t f = 0; f < plan_->axes[a].fields.size(); ++f)
      if (plan_->columns_of_axis[a][f] == column)
        std::ranges::for_each(plan_->axes[a].fields[f].values.listed(), look_at);
  if (longest == 0 && begins("-") && lists(column, Null{})) longest = 1;  // as answers print null
  if (found.word() == nullptr && std::ranges::all_of(rest.substr(0, longest), is_word_character)) return "";
  rest.remove_prefix(longest);
  return expression_literal(found);
}

bool PlanBuilder::lists(std::uint32_t column, const Value& wanted) const {
  for (std::size_t a = 0; a < plan_->axes.size(); ++a)
    for (std::size_t f = 0; f < plan_->axes[a].fields.size(); ++f)
      if (plan_->columns_of_axis[a][f] == column && plan_->axes[a].fields[f].values.row_of(wanted))
        return true;
  return std::ranges::any_of(plan_->includes,
                             [&](const IncludedPoint& point) { return point.values[column] == wanted; });
}

Result<std::optional<Value>> PlanBuilder::listed_value(std::uint32_t column,
                                                       const WrittenValue& written) const {
  std::vector<Value> known;
  for (std::size_t a = 0; a < plan_->axes.size(); ++a)
    for (std::size_t f = 0; f < plan_->axes[a].fields.size(); ++f)
      if (plan_->columns_of_axis[a][f] == column)
        std::ranges::copy(plan_->axes[a].fields[f].values.listed(), std::back_inserter(known));
  KS_ASSIGN_OR_RETURN(const auto which, meant(written, known));
  return which.empty() ? std::nullopt : std::optional(known[which.front()]);
}

Result<std::string> PlanBuilder::with_texts_quoted(std::string_view expression) const {
  std::string out;
  std::optional<std::uint32_t> compared;
  for (std::size_t at = 0; at < expression.size();) {
    const std::size_t before = out.find_last_not_of(" \t");
    if (compared && before != out.npos && std::string_view("=[,").find(out[before]) != out.npos) {
      const bool ordered = before > 0 && std::string_view("<>").find(out[before - 1]) != out.npos;
      std::string_view rest = expression.substr(at);
      out += take_listed_text(*compared, ordered, rest);
      if (at != expression.size() - rest.size()) {
        at = expression.size() - rest.size();
        continue;
      }
    }
    const char c = expression[at];
    std::size_t end = at + 1;
    if (c == '"' || c == '\'') {
      while (end < expression.size() && expression[end] != c) end += expression[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, expression.size());
    } else if (is_word_character(c)) {
      while (end < expression.size() && is_word_character(expression[end])) ++end;
    }
    const std::string word(expression.substr(at, end - at));
    at = end;
    if (!is_word_character(c)) {
      if (c == ')') compared.reset();
      out += word;
    } else if (const auto column = column_named(word)) {
      compared = column;
      out += word;
    } else if (compared && lists(*compared, Value(word))) {
      out += '"' + word + '"';
    } else {
      if (ends_comparison(word)) compared.reset();
      std::optional<Value> value;
      if (compared && *compared < kind_of_column_.size() && kind_of_column_[*compared] == ValueKind::text) {
        KS_ASSIGN_OR_RETURN(value, listed_value(*compared, {word, false}));
      }
      out += value && value->text() ? '"' + *value->text() + '"' : word;
    }
  }
  return out;
}

}  // namespace kernsweep
