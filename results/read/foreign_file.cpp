#include "results/read/foreign_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

#include "shared/text/trimmed.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

constexpr std::string_view kMarkOfCaches = "\"tune_params_keys\"";
constexpr int kDepthMax = 64;  // no form is deeper than 6; the tree is written by recursion

// Calls each(place, character) outside of texts, the quotes of texts included.
template <typename Each>
void outside_texts(std::string_view text, const Each& each) {
  bool in_text = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') in_text = !in_text;
    if (!in_text) each(at, text[at]);
    if (in_text && text[at] == '\\') ++at;
  }
}

bool is_too_deep(std::string_view text) {
  int depth = 0, deepest = 0;
  outside_texts(text, [&](std::size_t, char c) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if (c == ']' || c == '}') --depth;
  });
  return deepest > kDepthMax;
}

// Other files are parsed without a callback: with one, the parser searches a list after each of its
// objects.
Result<ForeignFile> parsed_file(std::string_view text) {
  using Event = ForeignJson::parse_event_t;
  ForeignFile file;
  if (is_too_deep(text)) return failure(fmt::format("is nested deeper than {} levels", kDepthMax));
  if (text.find(kMarkOfCaches) == std::string_view::npos) {
    file.top = ForeignJson::parse(text);
    return file;
  }
  std::string member, entry;
  file.top = ForeignJson::parse(text, [&](int depth, Event event, ForeignJson& found) {
    if (event == Event::key && depth < 3) (depth == 1 ? member : entry) = found.get<std::string>();
    if (event != Event::object_end || depth != 2 || member != "cache") return true;
    file.cache.emplace_back(entry, std::move(found));
    return false;
  });
  return file;
}

// nan, -Infinity, -nan(ind), 1.#INF, 1e400, NA, None, +5.0, .5.
bool is_no_json(std::string_view word) {
  try {
    return ForeignJson::parse(word, nullptr, false).is_discarded();
  } catch (const ForeignJson::exception&) {  // a number that is too large
    return true;
  }
}

// Also null for a value that is missing, and no comma behind the last value. A decimal comma is one in an
// object, where only a name in quotes may follow a comma.
std::string with_texts_for_non_numbers(std::string_view text) {
  constexpr auto kReplaced = ForeignJson::error_handler_t::replace;  // for bytes that are not UTF-8
  constexpr std::string_view kEndOfWord = " \t\r\n,:[]{}\"";
  std::string json;
  std::size_t done = 0;
  char before = 0;  // a value follows a colon, a comma or the beginning of a list
  const auto end_of_word = [&](std::size_t at) {
    return std::min(text.find_first_of(kEndOfWord, at), text.size());
  };
  outside_texts(text, [&](std::size_t at, char c) {
    if (at < done) return;
    if (kEndOfWord.find(c) != kEndOfWord.npos) {
      const bool is_missing = before == ':' && (c == ',' || c == '}');
      const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
      const bool is_last = c == ',' && next != text.npos && (text[next] == ']' || text[next] == '}');
      if (is_missing || is_last) {
        json += std::string(text.substr(done, at - done)) + (is_missing ? "null" : "");
        done = is_last ? at + 1 : at;
      }
      if (c > ' ') before = c;
      return;
    }
    const bool is_value = before == ':' || before == ',' || before == '[';
    std::size_t end = end_of_word(at);
    if (before == ':' && end + 1 < text.size() && text[end] == ',' && text[end + 1] >= '0' &&
        text[end + 1] <= '9')
      end = end_of_word(end + 1);
    before = c;
    const std::string_view word = text.substr(at, end - at);
    json += text.substr(done, at - done);
    json += is_value && is_no_json(word) ? ForeignJson(word).dump(-1, ' ', false, kReplaced)
                                         : std::string(word);
    done = end;
  });
  return json + std::string(text.substr(done));
}

// The size of the escape at the start of the text: \\n, \\u00e9 or both halves of a surrogate; 0: it is
// none.
std::size_t size_of_escape(std::string_view text) {
  const auto unit = [](std::string_view from) {
    unsigned code = 0;
    const bool is_unit = from.size() >= 6 && from.starts_with("\\u") &&
                         std::from_chars(from.data() + 2, from.data() + 6, code, 16).ptr == from.data() + 6;
    return is_unit ? std::optional(code) : std::nullopt;
  };
  if (text.size() > 1 && std::string_view("\"\\/bfnrt").find(text[1]) != std::string_view::npos) return 2;
  const auto first = unit(text);
  if (!first || *first < 0xD800 || *first > 0xDFFF) return first ? 6 : 0;
  const auto second = *first < 0xDC00 ? unit(text.substr(6)) : std::nullopt;
  return second && *second >= 0xDC00 && *second <= 0xDFFF ? 12 : 0;
}

struct Repaired {
  std::string text;
  std::size_t count = 0;  // of texts that were changed
  std::string first;
};

// Within quotes a byte that is not UTF-8 becomes its character in Latin-1, so that different names stay
// different; a control character becomes its escape, and a backslash that begins no escape a backslash.
Repaired with_valid_texts(std::string_view text) {
  Repaired out;
  std::size_t at = 0, start = 0;
  bool in_text = false, is_odd = false;
  const auto repair = [&](const std::string& by) {
    out.text += by;
    ++at;
    is_odd = true;
  };
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    std::size_t size = 1;
    if (byte == '"') {
      if (in_text && is_odd && ++out.count == 1) out.first = out.text.substr(start);
      in_text = !in_text;
      is_odd = false;
      start = out.text.size() + 1;
    } else if (in_text) {
      if (byte < 0x20 && byte != '\n' && byte != '\r') {
        repair(fmt::format("\\u{:04x}", byte));
        continue;
      }
      size = byte == '\\' ? size_of_escape(text.substr(at)) : utf8_length(text.substr(at));
      if (size == 0) {
        repair(byte == '\\' ? "\\\\"
                            : std::string{static_cast<char>(0xC0 | byte >> 6),
                                          static_cast<char>(0x80 | (byte & 0x3F))});
        continue;
      }
    }
    out.text += text.substr(at, size);
    at += size;
  }
  return out;
}

// The text up to its last complete row, a member of a list or an object of the outermost object, with
// closing brackets added. Nothing: it has no such row, or needs no bracket.
struct Closed {
  std::string text;
  bool row_lost = false;
};
std::optional<Closed> closed_behind_last_row(std::string_view text) {
  std::string open, open_there;
  std::size_t end = 0;
  outside_texts(text, [&](std::size_t at, char c) {
    if (c == '{' || c == '[') open += c == '{' ? '}' : ']';
    if ((c != '}' && c != ']') || open.empty()) return;
    open.pop_back();
    if (open.size() != 2 && (open.size() != 1 || end == 0)) return;
    end = at + 1;
    open_there = open;
  });
  if (end == 0 || open.empty()) return std::nullopt;
  const std::string_view rest = text.substr(end);
  const bool row_lost = rest.find_first_not_of(" \t\r\n,") != rest.npos;
  return Closed{std::string(text.substr(0, end)) + std::string(open_there.rbegin(), open_there.rend()),
                row_lost};
}

// `byte`: counted from 1.
std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, byte - 1);
  const auto line = std::ranges::count(before, '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("line {}, column {}", line, byte - start);
}

// Of the row at that byte or before it, for a message; empty: not known.
std::string name_before(std::string_view text, std::size_t byte) {
  std::size_t key = 0;
  for (const std::string_view name : {"\"name\"", "\"command\""})
    if (const auto found = text.substr(0, byte).rfind(name); found != text.npos)
      key = std::max(key, found + name.size());
  const std::size_t open = key == 0 ? text.npos : text.find('"', key);
  const std::size_t close = open == text.npos ? open : text.find('"', open + 1);
  if (close == text.npos || close > byte) return "";
  return fmt::format("; the last name before it is {}",
                     one_line(text.substr(open + 1, close - open - 1), 60));
}

std::string what_is_wrong(std::string_view text, const ForeignJson::exception& error) {
  const std::string why = error.what();
  const auto at = why.find("] ");
  std::string wrong = "is not JSON: " + (at == std::string::npos ? why : why.substr(at + 2));
  if (const auto* place = dynamic_cast<const ForeignJson::parse_error*>(&error))
    wrong += name_before(text, place->byte);
  // For a number that is too large the parser names only the number: "number overflow parsing '1e400'".
  const auto number = wrong.find('\'');
  if (!dynamic_cast<const ForeignJson::out_of_range*>(&error) || number == std::string::npos) return wrong;
  const auto byte = text.find(wrong.substr(number + 1, wrong.size() - number - 2));
  return byte == std::string_view::npos ? wrong : wrong + " at " + line_and_column(text, byte + 1);
}

struct Tried {
  Result<ForeignFile> file;
  bool is_json = true;
  bool ends_early = false;  // the fault is at its end: no row begins or ends after it
};

Tried try_to_parse(std::string_view text) {
  try {
    return {parsed_file(text), true, false};
  } catch (const ForeignJson::exception& error) {
    const auto* place = dynamic_cast<const ForeignJson::parse_error*>(&error);
    const std::size_t at = place ? std::max<std::size_t>(place->byte, 1) - 1 : 0;
    const bool ends_early = place && text.find('{') < at && text.find_first_of("{}", at) == text.npos;
    return {failure(what_is_wrong(text, error)), false, ends_early};
  }
}

bool has_rows(const ForeignFile& file) {
  if (!file.cache.empty()) return true;
  return std::ranges::any_of(std::array{"benchmarks", "results", "cache"}, [&](const char* name) {
    return file.top.is_object() && file.top.contains(name) && file.top[name].is_structured() &&
           !file.top[name].empty();
  });
}

Result<ForeignFile> parse_part(std::string_view text) {
  Tried tried = try_to_parse(text);
  if (tried.is_json) return std::move(tried.file);
  const Repaired repaired = with_valid_texts(with_texts_for_non_numbers(text));
  const std::string& json = repaired.text;
  const auto with_count = [&](Result<ForeignFile> file) {
    if (file) std::tie(file->repaired, file->first_repaired) = std::tie(repaired.count, repaired.first);
    return file;
  };
  if (json != text) tried = try_to_parse(json);
  if (tried.is_json || !tried.ends_early) return with_count(std::move(tried.file));
  const auto closed = closed_behind_last_row(json);
  Tried whole = closed ? try_to_parse(closed->text) : Tried{failure("")};
  if (!whole.file || !has_rows(*whole.file))
    return failure(tried.file.error().message + "; it ends before a row of results is whole");
  whole.file->closed = false;
  whole.file->row_lost = closed->row_lost;
  return with_count(std::move(whole.file));
}

// Where an object may begin: at the start of a line, after another one, and the first one of all.
std::vector<std::size_t> starts_of_objects(std::string_view text) {
  constexpr std::size_t kStartsMax = 64;
  std::vector<std::size_t> starts;
  for (std::size_t at = text.find('{'); at != text.npos && starts.size() < kStartsMax;
       at = text.find('{', at + 1)) {
    const std::size_t before = at == 0 ? text.npos : text.find_last_not_of(" \t", at - 1);
    if (starts.empty() || before == text.npos || text[before] == '\n' || text[before] == '}')
      starts.push_back(at);
  }
  return starts;
}

// The size of the object at the start of the text; the whole text if the object does not end.
std::size_t size_of_object(std::string_view text) {
  std::size_t depth = 0, size = text.size();
  outside_texts(text, [&](std::size_t at, char c) {
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && depth > 0 && --depth == 0) size = std::min(size, at + 1);
  });
  return size;
}

// The results in a file that also contains other text. Nothing: there are none. Error: there are several.
std::optional<Result<ForeignFile>> parse_within(std::string_view text) {
  constexpr std::size_t kShown = 60;  // bytes
  std::optional<Result<ForeignFile>> found;
  std::size_t end = 0;  // of the results
  for (const std::size_t start : starts_of_objects(text)) {
    if (start < end) continue;
    const std::size_t size = size_of_object(text.substr(start));
    const std::string_view behind = trimmed(text.substr(start + size));
    const std::string_view before = trimmed(text.substr(0, start));
    if (before.empty() && behind.empty()) continue;
    auto file = parse_part(text.substr(start, size));
    if (!file || !has_rows(*file)) continue;
    if (found)
      return failure(
          "it holds the results of several runs, one behind the other; write each into a file of its own");
    file->around = one_line(before.empty() ? behind : before, kShown);
    found = std::move(file);
    end = start + size;
  }
  return found;
}

}  // namespace

Result<ForeignFile> parse_foreign(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  auto file = parse_part(text);
  if (file) return file;
  if (auto within = parse_within(text)) return std::move(*within);
  return file;
}

}  // namespace kernsweep
