// The shared objects of this process, as the loader has them: what really computed, whatever a sweep file
// or a link's name says. Not the program itself and not the kernel's own object, which is no file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/file_content.hpp"

namespace kernsweep {

struct LoadedLibrary {
  std::string path;      // links followed
  std::string soname;    // what others link against; empty: none
  std::string version;   // from the file's name, where it tells: "0.3.21"
  std::string build_id;  // hexadecimal, of the GNU note; empty: none
  std::uint64_t bytes = 0;
  std::optional<Digest> content;  // absent: the file cannot be read any more
};

// Sorted by path. Soname and build id are those of the loaded object in memory: they stay true when its
// file is replaced.
std::vector<LoadedLibrary> loaded_libraries(FileHashes& hashes);

// As wire::Software tells them (shared/lists/library_lines.hpp), without home directories.
std::string text_of(const std::vector<LoadedLibrary>& libraries);

// How often the loader has loaded or unloaded something in this process: while it stays, so does the list.
// Costs far less than the list (well below a microsecond).
std::uint64_t loader_changes();

// "libgomp.so.1.0.0" -> "1.0.0", "libopenblasp-r0.3.21.so" -> "0.3.21", "libfoo.so" -> "".
std::string version_in_name(const std::string& file);

}  // namespace kernsweep
