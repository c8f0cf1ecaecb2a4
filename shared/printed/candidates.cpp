#include "shared/printed/candidates.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "shared/base/try.hpp"
#include "shared/text/pattern.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kMatchesMost = 100'000;

std::optional<double> whole_number(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// Adds the values of `key` in the rows to the text of a message.
void note_row(const std::string& described, std::vector<std::string>& there) {
  if (std::ranges::find(there, described) == there.end()) there.push_back(described);
}

// Whether the found number is only a part of a longer one: "03" of "9.8e+03", "3" of "123".
bool is_cut(std::string_view text, std::string_view number) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto begin = static_cast<std::size_t>(number.data() - text.data());
  if (number.empty() || !is_digit(number.front()) || !is_digit(number.back())) return false;
  std::string_view before = text.substr(0, begin), behind = text.substr(begin + number.size());
  const auto digit_ends = [&](std::size_t skipped) {
    return before.size() > skipped && is_digit(before[before.size() - 1 - skipped]);
  };
  const auto digit_begins = [&](std::size_t skipped) {
    return behind.size() > skipped && is_digit(behind[skipped]);
  };
  const std::size_t sign = before.ends_with('-') || before.ends_with('+') ? 1 : 0;
  const auto is_e = [](char c) { return c == 'e' || c == 'E'; };
  if (digit_ends(0) || (before.ends_with('.') && digit_ends(1)) ||
      (before.size() > sign && is_e(before[before.size() - 1 - sign]) && digit_ends(sign + 1)))
    return true;
  const bool is_signed = behind.size() > 1 && (behind[1] == '-' || behind[1] == '+');
  return digit_begins(0) || (behind.starts_with('.') && digit_begins(1)) ||
         (!behind.empty() && is_e(behind[0]) && digit_begins(is_signed ? 2 : 1));
}

class Lines : public PrintedText {
 public:
  explicit Lines(const ReadText& from) : from_(from) {}

  Result<std::vector<Cell>> cells_of(const PrintedValue& value) const override {
    KS_ASSIGN_OR_RETURN(const auto pattern, Pattern::of(value.where));
    std::vector<Cell> out;
    std::vector<std::string> there;
    const auto matches = pattern.matches(from_.text, kMatchesMost);
    const auto how = spelling_of(pattern, matches);
    for (const Pattern::Match& match : matches) {
      if (!fits(pattern, match, how)) {
        WantedRow row;
        for (const auto& [key, unused] : from_.row)
          if (pattern.has_group(key)) row.emplace_back(key, part(match, key));
        note_row(text_of(row), there);
        continue;
      }
      if (const auto number = match.find("value");
          number != match.end() && is_cut(from_.text, number->second))
        return failure("the pattern '" + value.where + "' finds '" + std::string(number->second) +
                       "', which is a part of a number; a group (?<value>[0-9.e+-]+) takes all of it, if "
                       "nothing before it matches digits");
      out.push_back({part(match, "value"), part(match, "unit")});
    }
    if (out.empty() && !there.empty()) return failure(no_row(from_.row, there));
    return out;
  }

  Result<RowKeys> keys_of(const std::string& key, const PrintedValue& value) const override {
    KS_ASSIGN_OR_RETURN(const auto pattern, Pattern::of(value.where));
    RowKeys out;
    const auto matches = pattern.matches(from_.text, kMatchesMost);
    const auto how = spelling_of(pattern, matches);
    for (const Pattern::Match& match : matches) {
      if (!fits(pattern, match, how)) continue;
      if (match.contains(key)) out.keys.push_back(part(match, key));
      if (!match.contains(key)) ++out.without;
    }
    return out;
  }

 private:
  static std::string part(const Pattern::Match& match, std::string_view name) {
    const auto found = match.find(name);
    return found == match.end() ? std::string() : std::string(found->second);
  }
  bool fits(const Pattern& pattern, const Pattern::Match& match, Spelling how) const {
    return std::ranges::all_of(from_.row, [&](const auto& wanted) {
      return !pattern.has_group(wanted.first) || is_same(part(match, wanted.first), wanted.second, how);
    });
  }
  Spelling spelling_of(const Pattern& pattern, const std::vector<Pattern::Match>& matches) const {
    const auto is_exact = [&](const auto& match) { return fits(pattern, match, Spelling::exact); };
    return std::ranges::any_of(matches, is_exact) ? Spelling::exact : Spelling::number;
  }

  ReadText from_;
};

class Table : public PrintedText {
 public:
  Table(std::vector<std::string> columns, std::vector<std::vector<std::string>> rows,
        std::string samples_of)
      : columns_(std::move(columns)), rows_(std::move(rows)), samples_of_(std::move(samples_of)) {}

  Result<std::vector<Cell>> cells_of(const PrintedValue& value) const override {
    const auto column = column_of(value.where);
    if (!column && value.optional) return std::vector<Cell>();
    if (!column) return failure("there is no column '" + value.where + "'; there are: " + joined(columns_));
    const auto unit = column_of(value.unit_where);
    if (!value.unit_where.empty() && !unit)
      return failure("there is no column '" + value.unit_where + "'; there are: " + joined(columns_));
    const auto like = column_of(samples_of_);
    std::vector<std::string> alike;
    for (const auto& row : rows_) alike.push_back(like ? row[*like] : "");
    if (const std::string wrong = several_rows(like ? samples_of_ : "", wanted_, alike); !wrong.empty())
      return failure(wrong);
    std::vector<Cell> out;
    for (const auto& row : rows_) out.push_back({row[*column], unit ? row[*unit] : ""});
    return out;
  }

  Result<RowKeys> keys_of(const std::string& key, const PrintedValue&) const override {
    const auto column = column_of(key);
    if (!column) return failure("there is no column '" + key + "'; there are: " + joined(columns_));
    RowKeys out;
    for (const auto& row : rows_) out.keys.push_back(row[*column]);
    return out;
  }

  // Drops all rows but those that `wanted` selects.
  Status keep(const WantedRow& wanted) {
    std::vector<std::size_t> columns;
    for (const auto& [key, value] : wanted) {
      const auto column = column_of(key);
      if (!column) return failure("there is no column '" + key + "'; there are: " + joined(columns_));
      columns.push_back(*column);
    }
    const auto has = [&](const std::vector<std::string>& row) {
      WantedRow found;
      for (std::size_t i = 0; i < columns.size(); ++i) found.emplace_back(wanted[i].first, row[columns[i]]);
      return found;
    };
    const auto is_exact = [&](const auto& row) { return is_row(has(row), wanted, Spelling::exact); };
    const Spelling how = std::ranges::any_of(rows_, is_exact) ? Spelling::exact : Spelling::number;
    std::vector<std::string> there;
    std::vector<std::vector<std::string>> kept;
    for (auto& row : rows_) {
      const WantedRow found = has(row);
      if (is_row(found, wanted, how)) {
        kept.push_back(std::move(row));
      } else {
        note_row(text_of(found), there);
      }
    }
    if (kept.empty() && !rows_.empty()) return failure(no_row(wanted, there));
    rows_ = std::move(kept);
    wanted_ = wanted;
    return Done{};
  }

 private:
  static std::string joined(const std::vector<std::string>& names) {
    constexpr std::size_t kMost = 300;
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
    return out.size() > kMost ? out.substr(0, kMost) + "..." : out;
  }
  std::optional<std::size_t> column_of(const std::string& name) const {
    const auto found = std::ranges::find(columns_, name);
    if (found == columns_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - columns_.begin());
  }

  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::string samples_of_;
  WantedRow wanted_;
};

// The cells of one line of CSV (RFC 4180, without line breaks in cells).
std::vector<std::string> cells_of_line(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quoted && c == '"' && at + 1 < line.size() && line[at + 1] == '"') {
      out.back() += line[++at];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

}  // namespace

std::string text_of(const WantedRow& row) {
  std::string out;
  for (const auto& [key, value] : row) out += (out.empty() ? "" : " ") + key + "=" + value;
  return out;
}

std::string no_row(const WantedRow& wanted, const std::vector<std::string>& there) {
  constexpr std::size_t kShown = 8;
  std::string out = "no row has " + text_of(wanted) + "; there are: ";
  for (std::size_t i = 0; i < std::min(kShown, there.size()); ++i) out += (i == 0 ? "" : ", ") + there[i];
  return there.size() > kShown ? out + " and " + std::to_string(there.size() - kShown) + " more" : out;
}

std::string several_rows(const std::string& samples_of, const WantedRow& wanted,
                         const std::vector<std::string>& rows) {
  if (rows.size() < 2) return "";
  if (samples_of.empty() && wanted.empty())
    return std::to_string(rows.size()) +
           " rows are there; give `row`, which says what the row has, or `rows_by`, the key that makes "
           "each a "
           "point";
  if (samples_of.empty())
    return std::to_string(rows.size()) + " rows have " + text_of(wanted) +
           "; give `row` another key too, in which they differ";
  const auto other =
      std::ranges::find_if(rows, [&](const std::string& row) { return row != rows.front(); });
  if (other == rows.end()) return "";
  return "rows of different " + samples_of + " fit: " + rows.front() + ", " + *other + "; give `row: {" +
         samples_of + ": ...}`, which says what the row has, or `rows_by: " + samples_of +
         "`, which makes each a point";
}

bool is_same(std::string_view cell, std::string_view wanted, Spelling how) {
  if (cell == wanted) return true;
  if (how == Spelling::exact) return false;
  const auto a = whole_number(cell), b = whole_number(wanted);
  return a && b && *a == *b;
}

bool is_row(const WantedRow& has, const WantedRow& wanted, Spelling how) {
  return std::ranges::equal(has, wanted,
                            [&](const auto& a, const auto& b) { return is_same(a.second, b.second, how); });
}

std::unique_ptr<PrintedText> read_lines(const ReadText& from) {
  return std::make_unique<Lines>(from);
}

Result<std::unique_ptr<PrintedText>> read_csv(const ReadText& from) {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
  std::string_view rest = from.text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    auto cells = cells_of_line(line);
    if (columns.empty()) {
      columns = std::move(cells);
      continue;
    }
    if (cells.size() != columns.size())
      return failure("no CSV: a line has " + std::to_string(cells.size()) + " cells, the first one " +
                     std::to_string(columns.size()) + ": " + std::string(line.substr(0, 100)));
    rows.push_back(std::move(cells));
  }
  for (const std::string& place : places_in(from, PrintedValue::Form::csv))
    if (std::ranges::count(columns, place) > 1)
      return failure("more than one column is called '" + place + "'");
  if (rows.empty())
    return failure("no CSV: a line with the names of columns and one with values are needed");
  auto table = std::make_unique<Table>(std::move(columns), std::move(rows), from.printed.samples_of);
  if (const Status kept = table->keep(from.row); !kept) return tl::unexpected(kept.error());
  return table;
}

std::vector<std::string> places_in(const ReadText& from, PrintedValue::Form form) {
  std::vector<std::string> out = {from.printed.rows.value_or(""), from.printed.samples_of};
  for (const auto& [key, wanted] : from.row) out.push_back(key);
  for (const PrintedValue& value : from.printed.values)
    if (value.form == form) out.insert(out.end(), {value.where, value.unit_where});
  std::erase(out, "");
  return out;
}

Result<RowKeys> row_keys(const ReadText& from, const std::string& key) {
  const PrintedValue* const time = from.printed.named("seconds");
  if (time == nullptr && from.printed.values.empty()) return failure("nothing is to be read");
  const PrintedValue& value = time == nullptr ? from.printed.values.front() : *time;
  std::unique_ptr<PrintedText> text;
  if (value.form == PrintedValue::Form::regex) text = read_lines(from);
  if (value.form == PrintedValue::Form::json) {
    KS_ASSIGN_OR_RETURN(text, read_json(from));
  }
  if (value.form == PrintedValue::Form::csv) {
    KS_ASSIGN_OR_RETURN(text, read_csv(from));
  }
  KS_ASSIGN_OR_RETURN(const auto all, text->keys_of(key, value));
  const bool may_repeat = value.samples || from.printed.samples_of == key;
  RowKeys out;
  out.without = all.without;
  for (const std::string& each : all.keys) {
    if (std::ranges::find(out.keys, each) == out.keys.end()) {
      out.keys.push_back(each);
    } else if (!may_repeat) {
      const bool is_pattern = value.form == PrintedValue::Form::regex;
      return failure(
          "more than one row has " + key + "=" + each + "; give `row`, which says what else it has, or `" +
          (is_pattern ? std::string("samples: true") : "samples_of: " + key) + "` if they are samples");
    }
  }
  if (out.keys.empty()) return failure("no row has '" + key + "'");
  return out;
}

}  // namespace kernsweep
