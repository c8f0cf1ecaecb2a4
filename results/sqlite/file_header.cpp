#include "results/sqlite/file_header.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace kernsweep {

namespace fs = std::filesystem;

Result<FileHeader> read_file_header(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return failure(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::string start(100, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  FileHeader header;
  if (file.gcount() < static_cast<std::streamsize>(start.size()) || !start.starts_with("SQLite format 3")) {
    header.trouble = "it does not begin as an SQLite file does";
    return header;
  }
  const auto number = [&start](std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = at; i < at + bytes; ++i) value = value << 8 | static_cast<std::uint8_t>(start[i]);
    return value;
  };
  const std::uint32_t bytes = number(16, 2) == 1 ? 65536 : number(16, 2);
  const auto is_format = [&number](std::size_t at) { return number(at, 1) == 1 || number(at, 1) == 2; };
  if (!std::has_single_bit(bytes) || bytes < 512 || number(20, 1) > 32 || number(21, 3) != 0x402020 ||
      !is_format(18) || !is_format(19)) {
    header.trouble = "its header is not one that SQLite writes";
    return header;
  }
  header.page_bytes = bytes;
  // The page count is valid only if the change counter (24) equals "version valid for" (92).
  if (number(24, 4) == number(92, 4)) header.pages = number(28, 4);
  header.version = number(60, 4);
  header.application = number(68, 4);
  return header;
}

std::string damage_seen_from_outside(const std::string& path) {
  std::error_code error;
  const auto header = read_file_header(path);
  // A coordinator that ends copies its log into the file before it removes the log. So the size is read
  // last.
  if (!header || (fs::file_size(path + "-wal", error) > 0 && !error)) return {};
  const std::uint64_t size = fs::file_size(path, error);
  if (error || size == 0 || !header->trouble.empty()) return size == 0 ? "" : header->trouble;
  if (size % header->page_bytes == 0 && size >= std::uint64_t{header->pages} * header->page_bytes)
    return {};
  return fmt::format("it is cut short: {} bytes are there, its header says {} pages of {}", size,
                     header->pages, header->page_bytes);
}

std::string damaged_message(const std::string& path, const std::string& why) {
  return fmt::format(
      "{}: the database is damaged ({}); nothing was changed. `kernsweep recover {}` saves what can be "
      "saved into a new file; or restore a copy, or choose another file",
      path, why, path);
}

}  // namespace kernsweep
