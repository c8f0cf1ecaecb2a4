#include "shared/base/installation.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace kernsweep {
namespace {

// The program, or the shared object that contains this code when a slot runs within a Python process
// (worker/slot/python/interpreter.hpp).
std::filesystem::path own_file() {
  Dl_info about{};
  if (dladdr(reinterpret_cast<const void*>(&version_text), &about) != 0 && about.dli_fname != nullptr &&
      std::string_view(about.dli_fname).ends_with(".so"))
    return about.dli_fname;
  return program_path();
}

// The folder that holds bin/ and libexec/.
std::filesystem::path root() {
  std::filesystem::path folder = own_file().parent_path();
  if (folder.filename() == "kernsweep" && folder.parent_path().filename() == "libexec")
    return folder.parent_path().parent_path();
  return folder.parent_path();
}

}  // namespace

std::string program_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "kernsweep" : path.string();
}

std::string installation_folder() {
  return root().string();
}

std::string slot_program() {
  return (root() / "libexec" / "kernsweep" / "kernsweep-slot").string();
}

std::vector<std::string> pack_folders() {
  std::vector<std::string> folders;
  if (const char* listed = std::getenv("KERNSWEEP_PACKS")) {
    std::string rest = listed;
    while (!rest.empty()) {
      const auto colon = rest.find(':');
      if (colon != 0) folders.push_back(rest.substr(0, colon));
      rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    }
  }
  folders.push_back((root() / "lib" / "kernsweep" / "packs").string());
  return folders;
}

std::vector<std::string> pack_files(const std::vector<std::string>& folders) {
  std::vector<std::string> packs;
  for (const std::string& folder : folders) {
    std::vector<std::string> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".so") found.push_back(entry.path().string());
    }
    std::sort(found.begin(), found.end());
    packs.insert(packs.end(), found.begin(), found.end());
  }
  return packs;
}

std::string library_folder() {
  return (root() / "lib" / "kernsweep").string();
}

std::string version_text() {
  return KERNSWEEP_VERSION;
}

}  // namespace kernsweep
