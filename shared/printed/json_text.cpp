// The adapter of nlohmann-json: numbers of a JSON document.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

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

class Document : public PrintedText {
 public:
  Document(Json root, const ReadText& from) : root_(std::move(root)), from_(from) {}

  Status find_rows() {
    if (!from_.printed.rows) {
      rows_.push_back(&root_);
      return Done{};
    }
    const Json* const all = at(root_, *from_.printed.rows);
    if (all == nullptr || !all->is_array())
      return failure("the JSON has no array at '" + *from_.printed.rows + "', where its rows should be");
    std::vector<std::string> there;
    for (const Json& row : *all) {
      WantedRow found;
      bool fits = true;
      for (const auto& [key, wanted] : from_.row) {
        const Json* const cell = at(row, key);
        found.emplace_back(key, cell == nullptr ? "(not there)" : cell_text(*cell));
        fits = fits && cell != nullptr && is_same(found.back().second, wanted);
      }
      if (fits) {
        rows_.push_back(&row);
      } else if (const std::string text = text_of(found); std::ranges::find(there, text) == there.end()) {
        there.push_back(text);
      }
    }
    if (rows_.empty() && all->empty())
      return failure("the JSON has no rows at '" + *from_.printed.rows + "'");
    return rows_.empty() ? Status(failure(no_row(from_.row, there))) : Done{};
  }

  Result<std::vector<Cell>> cells_of(const PrintedValue& value) const override {
    std::vector<Cell> out;
    std::vector<std::string> alike;
    for (const Json* row : rows_) {
      const Json* const cell = at(*row, from_.printed.samples_of);
      alike.push_back(from_.printed.samples_of.empty() || cell == nullptr ? "" : cell_text(*cell));
    }
    if (const std::string wrong = several_rows(from_.printed.samples_of, from_.row, alike); !wrong.empty())
      return failure(wrong);
    for (const Json* row : rows_) {
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

  Result<std::vector<std::string>> keys_of(const std::string& key, const PrintedValue&) const override {
    std::vector<std::string> out;
    for (const Json* row : rows_)
      if (const Json* const cell = at(*row, key)) out.push_back(cell_text(*cell));
    return out;
  }

 private:
  Json root_;
  ReadText from_;
  std::vector<const Json*> rows_;
};

}  // namespace

Result<std::unique_ptr<PrintedText>> read_json(const ReadText& from) {
  // A program may print lines, such as a warning, before its document. The document starts at a line that
  // begins as JSON does; parts of a document that was cut are indented, so they are not taken.
  for (std::size_t line = 0; line < from.text.size();) {
    const std::size_t begin = line;
    if (from.text[begin] == '{' || from.text[begin] == '[') {
      Json root = Json::parse(from.text.substr(begin), nullptr, false);
      if (!root.is_discarded()) {
        auto document = std::make_unique<Document>(std::move(root), from);
        if (const Status found = document->find_rows(); !found) return tl::unexpected(found.error());
        return document;
      }
    }
    line = std::min(from.text.find('\n', begin), from.text.size() - 1) + 1;
  }
  return failure("it is not a JSON document");
}

}  // namespace kernsweep
