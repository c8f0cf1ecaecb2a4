// The libraries of a result as text: wire::Software.libraries. One line for each, with tabs between path,
// soname, version, bytes, content hash and build id; an empty field is "-". Names and paths are escaped
// (escaped_text.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "shared/text/escaped_text.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {

struct LibraryLine {
  std::string path;
  std::string soname;   // empty: none
  std::string version;  // from the file's name; empty: it has none
  std::uint64_t bytes = 0;
  std::string hash;         // of the content; empty: not known
  std::string build_id;     // empty: none
  std::string behind_path;  // of a line that was read: the part after the path

  // The soname, or the file's name if there is none.
  std::string name() const { return soname.empty() ? path.substr(path.rfind('/') + 1) : soname; }
};

// Appends a line.
inline void append_library(std::string& lines, const LibraryLine& library) {
  if (!lines.empty()) lines += '\n';
  append_cell(lines, library.path);
  for (const std::string* field : {&library.soname, &library.version}) append_cell(lines += '\t', *field);
  lines += '\t' + std::to_string(library.bytes);
  for (const std::string* field : {&library.hash, &library.build_id}) append_cell(lines += '\t', *field);
}

inline LibraryLine library_line(std::string_view line) {
  LibraryLine out;
  out.path = take_cell(line);
  out.behind_path = line;
  out.soname = take_cell(line);
  out.version = take_cell(line);
  out.bytes = number_of<std::uint64_t>(take_cell(line)).value_or(0);
  out.hash = take_cell(line);
  out.build_id = take_cell(line);
  return out;
}

// Calls use(LibraryLine, whole line) for each line that is not empty.
template <class Use>
void each_library(std::string_view lines, Use use) {
  each_line(lines, [&](std::string_view line) { use(library_line(line), line); });
}

}  // namespace kernsweep
