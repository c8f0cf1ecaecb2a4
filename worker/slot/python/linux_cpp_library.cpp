#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "shared/base/installation.hpp"
#include "worker/slot/python/cpp_library.hpp"

namespace kernsweep {
namespace {

namespace files = std::filesystem;

// The folder of this host's C library, which has the other libraries, too. "" if it is not known.
files::path system_folder() {
  Dl_info about{};
  void* const found = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
  const bool known = found != nullptr && dladdr(found, &about) != 0 && about.dli_fname != nullptr;
  return known ? files::path(about.dli_fname).parent_path() : files::path();
}

// The last version of symbols that a libstdc++ has: 30 for GLIBCXX_3.4.30; -1: there is no such library.
int version_of(const files::path& library) {
  constexpr std::string_view kStem = "GLIBCXX_3.4.";
  std::ifstream file(library, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  int newest = -1;
  for (auto at = bytes.find(kStem); at != std::string::npos; at = bytes.find(kStem, at + kStem.size())) {
    int version = -1;
    std::from_chars(bytes.data() + at + kStem.size(), bytes.data() + bytes.size(), version);
    newest = std::max(newest, version);
  }
  return newest;
}

}  // namespace

std::string newest_cpp_library(const std::string& interpreter) {
  std::error_code error;
  std::vector<files::path> folders{library_folder()};  // if several are equal, the first counts
  folders.push_back(system_folder());
  for (const files::path& program : {files::path(interpreter), files::canonical(interpreter, error)})
    if (!program.empty()) folders.push_back(program.parent_path().parent_path() / "lib");
  std::set<std::string> known;  // real paths
  std::string newest;
  int best = -1;
  for (const files::path& folder : folders) {
    const std::string library = files::canonical(folder / "libstdc++.so.6", error).string();
    if (error || !known.insert(library).second) continue;
    const int version = version_of(library);
    if (version > best) newest = folder == folders.front() ? "" : library;
    best = std::max(best, version);
  }
  return newest;
}

}  // namespace kernsweep
