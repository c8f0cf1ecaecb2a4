// Reads the pages of an SQLite file without SQLite: for files that SQLite cannot open, or cannot read to
// the end. Never writes and never locks. Format: https://www.sqlite.org/fileformat2.html
//
// The committed frames of the log (`-wal`) replace the file's own pages, as in SQLite. The log is ignored
// from the first frame with a wrong checksum or wrong salts.
//
// Files are not trusted: every offset and count is checked against the size of what it refers to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

using PageBytes = std::vector<std::uint8_t>;

inline std::uint32_t big_endian(std::span<const std::uint8_t> bytes, std::size_t at, int count) {
  std::uint32_t number = 0;
  for (int i = 0; i < count; ++i) number = number << 8 | bytes[at + static_cast<std::size_t>(i)];
  return number;
}

// The first 100 bytes of a file.
struct PageHeader {
  std::uint32_t page_bytes = 8192;
  std::uint32_t reserved_bytes = 0;  // at the end of each page
  std::uint32_t pages = 0;           // number of pages; 0: not given
  std::uint32_t free_list = 0;       // first page of the list of free pages; 0: none
  std::string trouble;               // the problem with the header; empty: it is valid
};
PageHeader page_header(std::span<const std::uint8_t> start);

class PageFile {
 public:
  // Errors: cannot be opened or read.
  static Result<PageFile> open(const std::string& path);
  PageFile(PageFile&& other) noexcept;
  PageFile& operator=(PageFile&&) = delete;
  ~PageFile();

  const PageHeader& header() const { return header_; }
  std::uint32_t pages() const { return pages_; }       // expected number, by file size, header and log
  std::uint64_t file_bytes() const { return bytes_; }  // size of the file, without the log
  std::uint32_t usable_bytes() const { return header_.page_bytes - header_.reserved_bytes; }
  // Reads page `number` (from 1). Returns false if the page does not exist or is incomplete.
  bool read(std::uint32_t number, PageBytes& into) const;

 private:
  PageFile() = default;
  void read_log();  // log_ is open

  int file_ = -1, log_ = -1;
  std::uint64_t bytes_ = 0;
  std::uint32_t pages_ = 0;
  PageHeader header_;
  std::unordered_map<std::uint32_t, std::uint64_t> in_log_;  // page number to offset in the log
};

// The problem that the header and the size of the file show; empty: none. Reads only 100 bytes, so it may
// be called for any file at any time. Always empty for a file with a log: then the log determines the
// expected size, and SQLite checks it.
std::string damage_seen_from_outside(const std::string& path);

// The message of an error: the database is damaged (`why`), and `kernsweep recover` saves the rest.
std::string damaged_message(const std::string& path, const std::string& why);

}  // namespace kernsweep
