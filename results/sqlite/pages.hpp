// The pages of an SQLite file, read without SQLite: for files that SQLite will not open, or not read to the
// end. Never writes, never locks. Format: https://www.sqlite.org/fileformat2.html
//
// The committed frames of the log beside the file (`-wal`) replace the file's own pages, as in SQLite. The
// log is ignored from the first frame on whose checksum is wrong.
//
// Files are not trusted: every number is checked against the size of what it points into.
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
  std::uint32_t pages = 0;           // 0: does not say
  std::uint32_t free_list = 0;       // first page of it; 0: none
  std::string trouble;               // what is wrong with it; empty: nothing
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
  std::uint32_t pages() const { return pages_; }       // that there should be
  std::uint64_t file_bytes() const { return bytes_; }  // of the file, without the log
  std::uint32_t usable_bytes() const { return header_.page_bytes - header_.reserved_bytes; }
  // False: there is no such page, or not all of it.
  bool read(std::uint32_t number, PageBytes& into) const;

 private:
  PageFile() = default;
  void read_log();  // log_ is open

  int file_ = -1, log_ = -1;
  std::uint64_t bytes_ = 0;
  std::uint32_t pages_ = 0;
  PageHeader header_;
  std::unordered_map<std::uint32_t, std::uint64_t> in_log_;  // page to place in the log
};

// What is wrong with the file, by its header and size; empty: nothing seen. Reads 100 bytes, so that any
// file can be asked at any time. A file with a log is only held against its page size: how long it should
// be then, the log knows, and SQLite looks there.
std::string damage_seen_from_outside(const std::string& path);

// "...; nothing was changed; `kernsweep recover x.db` saves what can be saved".
std::string damaged_message(const std::string& path, const std::string& why);

}  // namespace kernsweep
