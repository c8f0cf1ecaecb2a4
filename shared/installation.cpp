#include "shared/installation.hpp"

#include <cstdlib>
#include <filesystem>

namespace kernsweep {
namespace {

// The folder that holds bin/ and libexec/.
std::filesystem::path root() {
  std::filesystem::path folder = std::filesystem::path(program_path()).parent_path();
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

std::string version_text() {
  return KERNSWEEP_VERSION;
}

}  // namespace kernsweep
