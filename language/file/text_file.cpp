#include "language/file/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

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

}  // namespace kernsweep
