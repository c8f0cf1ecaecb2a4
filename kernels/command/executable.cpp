#include "kernels/command/executable.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>

namespace kernsweep::command {
namespace {

// Why the file cannot be started; empty if it can.
std::string flaw_of(const std::string& path, struct stat& about) {
  if (stat(path.c_str(), &about) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return std::string("cannot be read: ") + std::strerror(errno);
    std::error_code error;
    return "is not there, seen from " + std::filesystem::current_path(error).string() +
           ", where the worker was started";
  }
  if (S_ISDIR(about.st_mode)) return "is a folder";
  if (!S_ISREG(about.st_mode)) return "is no file";
  if (access(path.c_str(), X_OK) != 0) return "may not be executed; try chmod +x " + path;
  return "";
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

Executable find_executable(const std::string& name) {
  if (name.empty()) return {"", "the command is empty; its first word is the program"};
  struct stat about {};
  if (name.find('/') != std::string::npos) {
    const std::string flaw = flaw_of(name, about);
    return flaw.empty() ? found(name, about) : Executable{"", "the program '" + name + "' " + flaw};
  }
  const char* const set = std::getenv("PATH");
  const std::string folders = set ? set : "";
  std::string_view rest = folders;
  while (!rest.empty()) {
    const auto colon = rest.find(':');
    const std::string folder(rest.substr(0, colon));
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (flaw_of(path, about).empty()) return found(path, about);
  }
  const bool is_here = flaw_of("./" + name, about).empty();
  return {"", "the program '" + name + "' is in no folder of PATH (" + folders + ")" +
                  (is_here ? "; write ./" + name + " for the one in the worker's folder" : "")};
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
