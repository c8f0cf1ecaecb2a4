// Text as one field of a list that is kept as text, so that no name can end its field or its line: `\` is
// written `\\`, a tab `\t`, a line feed `\n`, and every other control character, DEL, and each character
// that ends a field of the list, as `\x1b`. Each field is read back unchanged.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace kernsweep {

namespace escaped_text {

constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace escaped_text

// `ends`: the characters that end a field of this list, in addition to tab and line feed.
inline void append_escaped(std::string& out, std::string_view field, std::string_view ends = {}) {
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f || ends.find(c) != std::string_view::npos) {
      out += {'\\', 'x', escaped_text::kDigits[byte >> 4], escaped_text::kDigits[byte & 15]};
    } else {
      out += c;
    }
  }
}

// The reverse of append_escaped(). In other sequences, such as `\-`, only the backslash is dropped.
inline std::string unescaped(std::string_view field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      out += field[i];
      continue;
    }
    const char kind = field[++i];
    const std::size_t high = i + 2 < field.size() ? escaped_text::kDigits.find(field[i + 1]) : 16;
    const std::size_t low = i + 2 < field.size() ? escaped_text::kDigits.find(field[i + 2]) : 16;
    if (kind == 'x' && high < 16 && low < 16) {
      out += static_cast<char>(high * 16 + low);
      i += 2;
    } else {
      out += kind == 't' ? '\t' : kind == 'n' ? '\n' : kind;
    }
  }
  return out;
}

// Appends one field of a line with tabs between its fields: "-" for an empty field, `\-` for the text "-".
inline void append_cell(std::string& out, std::string_view field) {
  if (field.empty()) out += '-';
  if (field == "-") out += '\\';
  append_escaped(out, field);
}

// Removes the first field from `line` and returns its text.
inline std::string take_cell(std::string_view& line) {
  const std::size_t end = std::min(line.find('\t'), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field == "-" ? "" : unescaped(field);
}

// Calls use(line) for each line that is not empty.
template <class Use>
void each_line(std::string_view lines, Use use) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) use(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace kernsweep
