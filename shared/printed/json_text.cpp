// The adapter of nlohmann-json: numbers of JSON documents.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "shared/base/try.hpp"
#include "shared/printed/candidates.hpp"

namespace kernsweep {
namespace {

using Json = nlohmann::json;

std::string cell_text(const Json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The value at `pointer`; null: there is none. A pointer that does not begin with a slash is the name of a
// member.
const Json* at(const Json& root, const std::string& pointer) try {
  if (pointer.empty()) return &root;
  const Json::json_pointer path(pointer.front() == '/' ? pointer : "/" + pointer);
  return root.contains(path) ? &root.at(path) : nullptr;
} catch (const Json::exception&) {
  return nullptr;
}

// A number that is no JSON, but printed by Python and others: NaN, -Infinity, 1e400.
bool is_odd_number(std::string_view word) {
  std::string small;
  for (const char c : word.substr(word.starts_with('-') ? 1 : 0))
    small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (small == "nan" || small == "inf" || small == "infinity") return true;
  double number = 0;
  return std::from_chars(word.data(), word.data() + word.size(), number).ec ==
         std::errc::result_out_of_range;
}

// A document at the begin of a text: its end there, and itself with odd numbers as texts.
struct Scanned {
  std::string json;
  std::size_t end = 0;
  std::vector<std::size_t> added;  // where in `json` are quotes that the text has not
  bool is_whole = false;           // its brackets are closed
};

Scanned scan(std::string_view text) {
  Scanned out;
  std::size_t depth = 0;
  const auto is_of_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
  };
  while (out.end < text.size() && !out.is_whole) {
    const std::size_t begin = out.end;
    const char c = text[out.end++];
    if (c == '"') {
      while (out.end < text.size() && text[out.end] != '"') out.end += text[out.end] == '\\' ? 2 : 1;
      out.end = std::min(out.end + 1, text.size());
    } else if (is_of_word(c)) {
      while (out.end < text.size() && is_of_word(text[out.end])) ++out.end;
    }
    const std::string_view part = text.substr(begin, out.end - begin);
    const bool is_odd = is_of_word(c) && is_odd_number(part);
    if (is_odd) out.added.insert(out.added.end(), {out.json.size(), out.json.size() + part.size() + 1});
    out.json += is_odd ? '"' + std::string(part) + '"' : std::string(part);
    if (std::isalpha(static_cast<unsigned char>(c)) != 0 && !is_odd && part != "true" && part != "false" &&
        part != "null")
      return out;  // no JSON: not searched to its end
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') out.is_whole = --depth == 0;
  }
  return out;
}

struct Documents {
  std::vector<Json> roots;
  std::set<std::string> twice;  // names that an object has more than once
};

// Adds the document at the begin of `text` and returns its end. Error: where `text` is no JSON.
tl::expected<std::size_t, std::size_t> add_document(std::string_view text, Documents& out) {
  const Scanned scanned = scan(text);
  std::vector<std::set<std::string>> open;
  std::set<std::string> twice;
  const auto look = [&](int, Json::parse_event_t event, Json& name) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(name.get<std::string>()).second)
      twice.insert(name.get<std::string>());
    return true;
  };
  try {
    Json root = Json::parse(scanned.json, look);
    const auto behind = std::min(text.find_first_not_of(" \t\r", scanned.end), text.size());
    if (behind < text.size() && text[behind] != '\n') return tl::unexpected(behind);
    out.roots.push_back(std::move(root));
    out.twice.merge(twice);
    return behind;
  } catch (const Json::parse_error& error) {
    const std::size_t wrong = std::max<std::size_t>(error.byte, 1) - 1;
    const auto before = std::ranges::count_if(scanned.added, [&](std::size_t at) { return at < wrong; });
    return tl::unexpected(std::min(wrong - static_cast<std::size_t>(before), text.size()));
  }
}

class Document : public PrintedText {
 public:
  Document(std::vector<Json> roots, const ReadText& from) : roots_(std::move(roots)), from_(from) {}

  Status find_rows() {
    if (!from_.printed.rows) {
      for (const Json& root : roots_) rows_.push_back(&root);
      return Done{};
    }
    KS_ASSIGN_OR_RETURN(const auto all, all_rows(*from_.printed.rows));
    const auto has = [&](const Json* row) {
      WantedRow found;
      for (const auto& [key, wanted] : from_.row) {
        const Json* const cell = at(*row, key);
        found.emplace_back(key, cell == nullptr ? "(not there)" : cell_text(*cell));
      }
      return found;
    };
    const auto is_exact = [&](const Json* row) { return is_row(has(row), from_.row, Spelling::exact); };
    const Spelling how = std::ranges::any_of(all, is_exact) ? Spelling::exact : Spelling::number;
    std::vector<std::string> there;
    for (const Json* row : all) {
      const WantedRow found = has(row);
      if (is_row(found, from_.row, how)) {
        rows_.push_back(row);
      } else if (const std::string text = text_of(found); std::ranges::find(there, text) == there.end()) {
        there.push_back(text);
      }
    }
    return rows_.empty() ? Status(failure(no_row(from_.row, there))) : Done{};
  }

  Result<std::vector<Cell>> cells_of(const PrintedValue& value) const override {
    if (const std::string wrong = more_than_one(value); !wrong.empty()) return failure(wrong);
    std::vector<Cell> out;
    for (const Json* row : rows_) {
      if (const std::string wrong = error_of(*row); !wrong.empty()) return failure(wrong);
      const Json* const found = at(*row, value.where);
      if (found == nullptr || found->is_null()) continue;
      std::string unit;
      if (!value.unit_where.empty()) {
        const Json* const said = at(*row, value.unit_where);
        if (said == nullptr) return failure("the JSON has no unit at '" + value.unit_where + "'");
        unit = cell_text(*said);
      }
      if (!found->is_array()) out.push_back({cell_text(*found), unit});
      if (found->is_array())
        for (const Json& each : *found) out.push_back({cell_text(each), unit});
    }
    return out;
  }

  Result<RowKeys> keys_of(const std::string& key, const PrintedValue&) const override {
    RowKeys out;
    for (const Json* row : rows_) {
      const Json* const cell = at(*row, key);
      if (cell != nullptr) out.keys.push_back(cell_text(*cell));
      if (cell == nullptr) ++out.without;
    }
    return out;
  }

 private:
  // With `rows: ''` an array is its rows, and any other document is one: JSON Lines.
  Result<std::vector<const Json*>> all_rows(const std::string& pointer) const {
    std::vector<const Json*> out;
    bool is_there = false;
    for (const Json& root : roots_) {
      const Json* const all = at(root, pointer);
      if (all != nullptr && pointer.empty() && !all->is_array()) out.push_back(all);
      if (all == nullptr || !all->is_array()) continue;
      is_there = true;
      for (const Json& row : *all) out.push_back(&row);
    }
    if (!out.empty()) return out;
    return failure(is_there ? "the JSON has no rows at '" + pointer + "'"
                            : "the JSON has no array at '" + pointer + "', where its rows should be");
  }

  // The error if the value is in several documents or in unlike rows; empty: nothing.
  std::string more_than_one(const PrintedValue& value) const {
    if (!from_.printed.rows) {
      const auto count =
          std::ranges::count_if(rows_, [&](const Json* row) { return at(*row, value.where) != nullptr; });
      return count < 2
                 ? ""
                 : std::to_string(count) + " JSON documents have '" + value.where +
                       "'; `rows: ''` makes each of them a row: `row` selects one, `rows_by` makes each "
                       "a point, `samples_of` joins those that are alike";
    }
    std::vector<std::string> alike;
    for (const Json* row : rows_) {
      const Json* const cell = at(*row, from_.printed.samples_of);
      alike.push_back(from_.printed.samples_of.empty() || cell == nullptr ? "" : cell_text(*cell));
    }
    return several_rows(from_.printed.samples_of, from_.row, alike);
  }

  // What Google Benchmark's SkipWithError has said; empty: nothing.
  static std::string error_of(const Json& row) {
    for (const auto& [flag, message] :
         {std::pair("error_occurred", "error_message"), std::pair("skipped", "skip_message")})
      if (const Json* const said = at(row, flag); said != nullptr && *said == true) {
        const Json* const why = at(row, message);
        return "the row says that it failed" + (why == nullptr ? "" : ": " + cell_text(*why));
      }
    return "";
  }

  std::vector<Json> roots_;
  ReadText from_;
  std::vector<const Json*> rows_;
};

// "line 3, column 7: '...'", and what is there.
std::string place_in(std::string_view text, std::size_t at) {
  constexpr std::size_t kShown = 30;
  const std::string_view before = text.substr(0, at);
  const auto line = std::ranges::count(before, '\n') + 1;
  const auto column = at - (before.rfind('\n') + 1) + 1;
  const std::string_view there = text.substr(at, std::min(kShown, text.find('\n', at) - at));
  return "line " + std::to_string(line) + ", column " + std::to_string(column) +
         (there.empty() ? "" : ": '" + std::string(there) + "'");
}

// A name that is read must not be ambiguous.
Status check_names(const ReadText& from, const std::set<std::string>& twice) {
  for (const std::string& place : places_in(from, PrintedValue::Form::json))
    for (const std::string& name : twice)
      if (("/" + place + "/").find("/" + name + "/") != std::string::npos)
        return failure("an object of the JSON has '" + name + "' more than once");
  return Done{};
}

}  // namespace

Result<std::unique_ptr<PrintedText>> read_json(const ReadText& from) {
  // A program may print lines, such as a warning, before its document. The document starts at a line that
  // begins as JSON does; parts of a document that was cut are indented, so they are not taken.
  Documents documents;
  std::size_t end = 0;
  std::optional<std::size_t> wrong, wrong_object;
  for (std::size_t line = 0; line < from.text.size();) {
    std::size_t at = line;
    if (from.text[at] == '{' || from.text[at] == '[') {
      const auto added = add_document(from.text.substr(line), documents);
      at += added ? *added : 0;
      if (added) end = at;
      if (!added) wrong = std::max(wrong.value_or(0), line + added.error());
      if (!added && from.text[line] == '{') wrong_object = wrong;
    }
    line = std::min(from.text.find('\n', at), from.text.size() - 1) + 1;
  }
  if (documents.roots.empty() || (documents.roots.size() > 1 && wrong_object))
    return failure("it is not a JSON document" +
                   (wrong ? "; the first error is in " + place_in(from.text, *wrong) : ""));
  if (const auto behind = from.text.find_first_not_of(" \t\r\n", end); behind != std::string_view::npos)
    return failure("text follows the JSON document in " + place_in(from.text, behind));
  if (const Status clear = check_names(from, documents.twice); !clear) return tl::unexpected(clear.error());
  auto document = std::make_unique<Document>(std::move(documents.roots), from);
  if (const Status found = document->find_rows(); !found) return tl::unexpected(found.error());
  return document;
}

}  // namespace kernsweep
