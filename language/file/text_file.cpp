#include "language/file/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "shared/text/suggest.hpp"

namespace kernsweep {

Result<std::string> read_text_file(const std::string& path, std::size_t most) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return failure("there is no such file");
  if (error) return failure("cannot be read: " + error.message());
  if (std::filesystem::is_directory(status)) return failure("a directory, not a file");
  if (!std::filesystem::is_regular_file(status)) return failure("not a regular file");
  const auto size = std::filesystem::file_size(path, error);
  if (error) return failure("cannot be read: " + error.message());
  if (size > most) return failure(fmt::format("{} bytes; at most {} are read", size, most));
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return failure(fmt::format("cannot be read: {}", std::strerror(errno)));
  std::string text(static_cast<std::size_t>(size), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) return failure("cannot be read: an error while reading");
  return text;
}

std::string near_sweep_file(const std::string& path) {
  namespace fs = std::filesystem;
  constexpr std::size_t kMost = 10'000;
  const fs::path wanted(path), folder = wanted.parent_path();
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end;
       at.increment(error)) {
    const fs::path& file = at->path();
    if (file.extension() == ".yaml" || file.extension() == ".yml")
      names.push_back(file.filename().string());
    if (names.size() == kMost) break;
  }
  const std::string name = wanted.filename().string();
  for (const char* const ending : {".yaml", ".yml"})
    if (std::ranges::find(names, name + ending) != names.end())
      return fmt::format("; did you mean '{}'?", path + ending);
  const auto near = nearest(name, names);
  return near ? fmt::format("; did you mean '{}'?", (folder / *near).string()) : "";
}

}  // namespace kernsweep
