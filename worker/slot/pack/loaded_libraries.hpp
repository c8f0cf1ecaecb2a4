// The shared objects that the loader has loaded into this process: the code that computed, whatever a sweep
// file or a link names. Without the program itself and the vDSO, which has no file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/file_content.hpp"

namespace kernsweep {

struct LoadedLibrary {
  std::string path;      // with links resolved
  std::string soname;    // the name that others link against; empty: none
  std::string version;   // from the file's name, if it has one: "0.3.21"
  std::string build_id;  // hexadecimal, of the GNU note; empty: none
  std::uint64_t bytes = 0;
  std::optional<Digest> content;  // nothing: the file can no longer be read
};

// Sorted by path. Soname and build id are read from memory, so they are right even if the file was
// replaced.
std::vector<LoadedLibrary> loaded_libraries(FileHashes& hashes);

// The same for another process, by the files that it has mapped for execution, without its program; soname
// and build id are not known.
std::vector<LoadedLibrary> libraries_of_process(int process, FileHashes& hashes);

// In the format of wire::Software (shared/lists/library_lines.hpp), without home directories.
std::string text_of(const std::vector<LoadedLibrary>& libraries);

// Numbers of loads and unloads in this process. Takes less than a microsecond, far less than the list.
struct LoaderCounts {
  std::uint64_t loads = 0, unloads = 0;
};
LoaderCounts loader_counts();
// The sum of both: while it is unchanged, so is the list.
std::uint64_t loader_changes();

// "libgomp.so.1.0.0" -> "1.0.0", "libopenblasp-r0.3.21.so" -> "0.3.21", "libfoo.so" -> "".
std::string version_in_name(const std::string& file);

}  // namespace kernsweep
