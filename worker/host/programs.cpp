#include "worker/host/programs.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "shared/text/home_path.hpp"

namespace kernsweep {

bool is_program(const std::string& path) {
  std::error_code error;
  return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, error);
}

std::string find_program(const std::string& name, std::string_view folders) {
  if (name.find('/') != std::string::npos) return name;
  while (!folders.empty()) {
    const auto colon = folders.find(':');
    const std::string folder(folders.substr(0, colon));
    folders = colon == std::string_view::npos ? std::string_view() : folders.substr(colon + 1);
    std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(path)) return path;
  }
  return "";
}

bool needs_interpreter(const std::string& pack) {
  return std::filesystem::path(pack).filename() == "python.so";
}

namespace {

constexpr int kOldestPython = 10, kNewestPython = 30;  // of version 3

// A system's python3 is a link to a file whose name has its version, such as python3.9.
bool is_too_old(const std::string& python) {
  constexpr std::string_view kStem = "python3.";
  std::error_code error;
  const std::string name = std::filesystem::canonical(python, error).filename().string();
  int minor = kOldestPython;
  if (!error && name.starts_with(kStem))
    std::from_chars(name.data() + kStem.size(), name.data() + name.size(), minor);
  return minor < kOldestPython;
}

// python3; if there is none, or it is too old, the newest python3.N.
std::string find_python(std::string_view folders) {
  const std::string usual = find_program("python3", folders);
  if (!usual.empty() && !is_too_old(usual)) return usual;
  for (int minor = kNewestPython; minor >= kOldestPython; --minor)
    if (std::string found = find_program("python3." + std::to_string(minor), folders); !found.empty())
      return found;
  return usual;
}

}  // namespace

std::string find_interpreter(const std::function<std::string(const char* name)>& variable) {
  const std::string path = variable("PATH");
  if (const std::string named = with_home(variable("KERNSWEEP_PYTHON")); !named.empty()) {
    const std::string within = named + "/bin/python3";
    std::error_code error;
    if (named.find('/') != std::string::npos)
      return std::filesystem::is_directory(named, error) ? within : named;
    const std::string found = find_program(named, path);
    return !found.empty() ? found : is_program(within) ? within : named;
  }
  for (const char* name : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const std::string folder = variable(name), program = folder + "/bin/python3";
    if (!folder.empty() && is_program(program)) return program;
  }
  return find_python(path);
}

std::string find_interpreter() {
  return find_interpreter([](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  });
}

std::string find_interpreter(const std::vector<std::string>& environment) {
  return find_interpreter([&](const char* name) {
    const std::string start = name + std::string("=");
    for (const std::string& line : environment)
      if (line.starts_with(start)) return line.substr(start.size());
    return std::string();
  });
}

}  // namespace kernsweep
