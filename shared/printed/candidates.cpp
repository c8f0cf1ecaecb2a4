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

class Lines : public PrintedText {
 public:
  explicit Lines(const ReadText& from) : from_(from) {}

  Result<std::vector<Cell>> cells_of(const PrintedValue& value) const override {
    KS_ASSIGN_OR_RETURN(const auto pattern, Pattern::of(value.where));
    std::vector<Cell> out;
    std::vector<std::string> there;
    for (const Pattern::Match& match : pattern.matches(from_.text, kMatchesMost)) {
      const auto part = [&](std::string_view name) {
        const auto found = match.find(name);
        return found == match.end() ? std::string() : found->second;
      };
      const bool fits = std::ranges::all_of(from_.row, [&](const auto& wanted) {
        return !pattern.has_group(wanted.first) || is_same(part(wanted.first), wanted.second);
      });
      if (fits) {
        out.push_back({part("value"), part("unit")});
        continue;
      }
      WantedRow row;
      for (const auto& [key, unused] : from_.row)
        if (pattern.has_group(key)) row.emplace_back(key, part(key));
      note_row(text_of(row), there);
    }
    if (out.empty() && !there.empty()) return failure(no_row(from_.row, there));
    return out;
  }

  Result<std::vector<std::string>> keys_of(const std::string& key,
                                           const PrintedValue& value) const override {
    KS_ASSIGN_OR_RETURN(const auto pattern, Pattern::of(value.where));
    std::vector<std::string> out;
    for (const Pattern::Match& match : pattern.matches(from_.text, kMatchesMost))
      if (const auto found = match.find(key); found != match.end()) out.push_back(found->second);
    return out;
  }

 private:
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

  Result<std::vector<std::string>> keys_of(const std::string& key, const PrintedValue&) const override {
    const auto column = column_of(key);
    if (!column) return failure("there is no column '" + key + "'; there are: " + joined(columns_));
    std::vector<std::string> out;
    for (const auto& row : rows_) out.push_back(row[*column]);
    return out;
  }

  // Drops all rows but those that `wanted` selects.
  Status keep(const WantedRow& wanted) {
    std::vector<std::string> there;
    std::vector<std::vector<std::string>> kept;
    for (auto& row : rows_) {
      bool fits = true;
      WantedRow found;
      for (const auto& [key, value] : wanted) {
        const auto column = column_of(key);
        if (!column) return failure("there is no column '" + key + "'; there are: " + joined(columns_));
        fits = fits && is_same(row[*column], value);
        found.emplace_back(key, row[*column]);
      }
      if (fits) {
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
    return std::to_string(rows.size()) + " rows are there; give `row`, which says what the row has";
  if (samples_of.empty())
    return std::to_string(rows.size()) + " rows have " + text_of(wanted) +
           "; give `row` another key too, in which they differ";
  const auto other =
      std::ranges::find_if(rows, [&](const std::string& row) { return row != rows.front(); });
  if (other == rows.end()) return "";
  return "rows of different " + samples_of + " fit: " + rows.front() + ", " + *other + "; give `row: {" +
         samples_of + ": ...}`, which says what the row has";
}

bool is_same(std::string_view cell, std::string_view wanted) {
  if (cell == wanted) return true;
  const auto a = whole_number(cell), b = whole_number(wanted);
  return a && b && *a == *b;
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
  if (rows.empty())
    return failure("no CSV: a line with the names of columns and one with values are needed");
  auto table = std::make_unique<Table>(std::move(columns), std::move(rows), from.printed.samples_of);
  if (const Status kept = table->keep(from.row); !kept) return tl::unexpected(kept.error());
  return table;
}

Result<std::vector<std::string>> row_keys(const ReadText& from, const std::string& key) {
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
  std::vector<std::string> out;
  for (const std::string& each : all) {
    if (std::ranges::find(out, each) == out.end()) {
      out.push_back(each);
    } else if (!may_repeat) {
      return failure("more than one row has " + key + "=" + each +
                     "; give `row`, which says what else it has, or `samples_of: " + key +
                     "` if they are samples");
    }
  }
  if (out.empty()) return failure("no row has '" + key + "'");
  return out;
}

}  // namespace kernsweep
