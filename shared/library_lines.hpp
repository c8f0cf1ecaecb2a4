// The list of libraries that a result carries, read back. It is one line for each: path, soname, version,
// bytes, content hash and build id, with tabs between them and "-" where there is none.
#pragma once

#include <algorithm>
#include <string_view>

namespace kernsweep {

struct LibraryLine {
  std::string_view path;
  std::string_view behind_path;  // what tells the file wherever it lies; empty: the line is a path alone
  std::string_view soname;       // empty: none
  std::string_view version;      // as the file's name tells it; empty: it does not
  std::string_view hash;         // of the content; empty: not known

  // By what others link against it, or by the file's name.
  std::string_view name() const { return soname.empty() ? path.substr(path.rfind('/') + 1) : soname; }
};

inline LibraryLine library_line(std::string_view line) {
  const auto take = [&line] {
    const std::size_t end = std::min(line.find('\t'), line.size());
    const std::string_view field = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return field == "-" ? std::string_view() : field;
  };
  LibraryLine out;
  out.path = take();
  out.behind_path = line;
  out.soname = take();
  out.version = take();
  take();  // bytes
  out.hash = take();
  return out;
}

// Calls use(LibraryLine, whole line) for each line that is not empty.
template <class Use>
void each_library(std::string_view lines, Use use) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    if (end > 0) use(library_line(lines.substr(0, end)), lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

}  // namespace kernsweep
