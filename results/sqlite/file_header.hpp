// What the first 100 bytes of an SQLite file say, read without SQLite: for files that it cannot open. Never
// writes and never locks. Format: https://www.sqlite.org/fileformat2.html
#pragma once

#include <cstdint>
#include <string>

#include "shared/base/result.hpp"

namespace kernsweep {

struct FileHeader {
  std::uint32_t page_bytes = 8192;
  std::uint32_t pages = 0;        // number of pages; 0: not given
  std::uint32_t version = 0;      // that Kernsweep gave its schema; 0: none
  std::uint32_t application = 0;  // the program that made the file
  std::string trouble;            // the problem with the header; empty: it is valid
};
// Error: the file cannot be read. A file that is too short has a header with a problem.
Result<FileHeader> read_file_header(const std::string& path);

// The problem with the file that its header and size show; empty: none. Reads only 100 bytes, so it may be
// called for any file at any time. Always empty for a file with a log: then the log determines the expected
// size, and SQLite checks it.
std::string damage_seen_from_outside(const std::string& path);

// The message of an error: the database is damaged (`why`), and `kernsweep recover` saves the rest.
std::string damaged_message(const std::string& path, const std::string& why);

}  // namespace kernsweep
