#include "shared/text/home_path.hpp"

#include <cstdlib>

namespace kernsweep {
namespace {

// $HOME without a slash at its end. Empty if it is not set or not an absolute path.
std::string home() {
  const char* const value = std::getenv("HOME");
  std::string folder = value ? value : "";
  while (!folder.empty() && folder.back() == '/') folder.pop_back();
  return folder.starts_with('/') ? folder : "";
}

}  // namespace

std::string without_home(const std::string& path) {
  const std::string own = home();
  if (!own.empty() && (path == own || path.starts_with(own + "/"))) return "~" + path.substr(own.size());
  constexpr std::string_view kHomes = "/home/";
  if (!path.starts_with(kHomes)) return path;
  const std::size_t end = path.find('/', kHomes.size());
  return end == std::string::npos ? std::string("/home/-") : "/home/-" + path.substr(end);
}

std::string with_home(const std::string& path) {
  if (path != "~" && !path.starts_with("~/")) return path;
  return home() + path.substr(1);
}

}  // namespace kernsweep
