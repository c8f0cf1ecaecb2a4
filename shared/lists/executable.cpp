#include "shared/lists/executable.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace kernsweep::command {
namespace {

std::string this_folder() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

// Why the file cannot be started; empty if it can.
std::string flaw_of(const std::string& path, struct stat& about) {
  if (stat(path.c_str(), &about) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return std::string("cannot be read: ") + std::strerror(errno);
    return "is not there, seen from " + this_folder();
  }
  if (S_ISDIR(about.st_mode)) return "is a folder; give a file in it";
  if (!S_ISREG(about.st_mode)) return "is not a file";
  const bool is_built = path.find("/kernsweep/builds/") != std::string::npos;
  if (access(path.c_str(), X_OK) != 0)
    return is_built ? "was built but is not a program; let the build link it"
                    : "may not be executed; try chmod +x " + path;
  return "";
}

std::vector<std::string> folders_of(std::string_view path) {
  std::vector<std::string> out;
  while (!path.empty()) {
    const auto colon = path.find(':');
    const std::string folder(path.substr(0, colon));
    path = colon == std::string_view::npos ? std::string_view() : path.substr(colon + 1);
    out.push_back(folder.empty() ? "." : folder);
  }
  return out;
}

Executable found(const std::string& path, const struct stat& about) {
  return {path, "", about.st_dev, about.st_ino,
          static_cast<std::int64_t>(about.st_ctim.tv_sec) * 1'000'000'000 + about.st_ctim.tv_nsec};
}

}  // namespace

bool is_file(const std::string& path) {
  struct stat about {};
  return !path.empty() && stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode);
}

Executable find_executable(const std::string& name, const char* path) {
  if (name.empty()) return {"", "the command is empty; its first word is the program"};
  struct stat about {};
  if (name.find('/') != std::string::npos) {
    const std::string flaw = flaw_of(name, about);
    return flaw.empty() ? found(name, about) : Executable{"", "the program '" + name + "' " + flaw};
  }
  const std::string folders = path ? path : "";
  for (const std::string& folder : folders_of(folders))
    if (flaw_of(folder + "/" + name, about).empty()) return found(folder + "/" + name, about);
  const bool is_here = flaw_of("./" + name, about).empty();
  return {"", "the program '" + name + "' is in no folder of PATH (" + folders + ")" +
                  (is_here ? "; write ./" + name + " for the one in " + this_folder() : "")};
}

std::vector<std::string> other_executables(const std::string& name, const char* path) {
  const auto slash = name.rfind('/');
  const bool has_folder = slash != std::string::npos;
  const std::string before = has_folder ? name.substr(0, slash + 1) : "";
  const auto folders = has_folder ? std::vector{before} : folders_of(path ? path : "");
  std::vector<std::string> out;
  struct stat about {};
  for (const std::string& folder : folders) {
    std::error_code error;
    for (auto it = std::filesystem::directory_iterator(folder, error);
         !error && it != std::filesystem::directory_iterator(); it.increment(error))
      if (flaw_of(it->path().string(), about).empty())
        out.push_back(before + it->path().filename().string());
  }
  return out;
}

const std::string& real_path(const Executable& program) {
  static Executable last;
  static std::string resolved;
  const bool is_known = last.path == program.path && last.device == program.device &&
                        last.inode == program.inode && last.changed_ns == program.changed_ns;
  if (is_known) return resolved;
  const std::unique_ptr<char, void (*)(void*)> real(realpath(program.path.c_str(), nullptr), std::free);
  resolved = real ? real.get() : program.path;
  last = program;
  return resolved;
}

}  // namespace kernsweep::command
