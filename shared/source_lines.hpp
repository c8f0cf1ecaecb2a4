// The list of files that a job ran and read, as a result carries it: wire::Software.sources. One line for
// each, sorted, with tabs between role, name, path, bytes and content hash, and "-" where there is none.
//
// Names and paths are whatever somebody called his files. `\` is written `\\`, a tab `\t`, a line feed
// `\n`, every other control character and DEL as `\x1b`, and a field that is only "-" as `\-`: so no name
// can end its field or its line, and each line is read back as it was.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

namespace kernsweep {

// roles: pack, library, program, word, module, package, input, depends, variable
struct SourceLine {
  std::string role;
  std::string name;  // as declared: a word of the command, an operand, a dotted module name
  std::string path;  // "./x": below the working directory of the worker; of a variable its value; or empty
  std::uint64_t bytes = 0;
  std::string hash;  // of the content, 32 lower-case hex digits; empty: cannot be read, or is no file
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

namespace source_lines {

constexpr char kDigits[] = "0123456789abcdef";

inline void append_field(std::string& out, std::string_view field) {
  if (field.empty()) out += '-';
  if (field == "-") out += '\\';
  for (const char c : field) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\n') {
      out += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      out += c;
    }
  }
}

inline int digit_of(char c) {
  const std::string_view digits = kDigits;
  const auto at = digits.find(c);
  return at < 16 ? static_cast<int>(at) : -1;
}

// What append_field has not written is taken as it stands.
inline std::string read_field(std::string_view field) {
  if (field == "-") return "";
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      out += field[i];
      continue;
    }
    const char kind = field[++i];
    const bool is_hex =
        kind == 'x' && i + 2 < field.size() && digit_of(field[i + 1]) >= 0 && digit_of(field[i + 2]) >= 0;
    if (is_hex) {
      out += static_cast<char>(digit_of(field[i + 1]) * 16 + digit_of(field[i + 2]));
      i += 2;
    } else {
      out += kind == 't' ? '\t' : kind == 'n' ? '\n' : kind;
    }
  }
  return out;
}

}  // namespace source_lines

// Without a line feed. `bytes` is "-" where there is no hash.
inline std::string text_of(const SourceLine& line) {
  std::string out;
  for (const std::string* field : {&line.role, &line.name, &line.path}) {
    source_lines::append_field(out, *field);
    out += '\t';
  }
  out += line.hash.empty() ? "-" : std::to_string(line.bytes);
  out += '\t';
  source_lines::append_field(out, line.hash);
  return out;
}

// Behind the lines that are there. Whoever gathers them sorts them.
inline void append_source(std::string& lines, const SourceLine& line) {
  if (!lines.empty()) lines += '\n';
  lines += text_of(line);
}

inline SourceLine source_line(std::string_view line) {
  const auto take = [&line] {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string_view field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return field;
  };
  SourceLine out;
  out.role = source_lines::read_field(take());
  out.name = source_lines::read_field(take());
  out.path = source_lines::read_field(take());
  const std::string_view bytes = take();
  std::from_chars(bytes.data(), bytes.data() + bytes.size(), out.bytes);
  out.hash = source_lines::read_field(take());
  return out;
}

// Calls use(SourceLine, whole line) for each line that is not empty.
template <class Use>
void each_source(std::string_view lines, Use use) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) use(source_line(lines.substr(0, end)), lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace kernsweep
