// Copies the rows of a damaged results database that can still be read into a new database.
//
// Rows are read through SQLite, from a copy of the file that it can open (readable_copy.hpp), around what
// is damaged (table_rows.hpp).
//
// Promises:
//   - the old file and its log are only read;
//   - every plausible row is saved that SQLite reaches (table_rows.hpp has the exceptions): a page that is
//     lost costs its rows, and an inner page of a table those of the pages behind it. A job that lost its
//     outcome is measured again;
//   - if two tables contradict each other about an attempt, its job is left out and is measured again;
//   - the new file has the newest version and all views, passes SQLite's own check, and `kernsweep resume`
//     can continue with it. The ids of lost rows that other rows refer to are never used again.
// Not detected: a changed bit within a value that is stored nowhere else (docs/reference/results.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct Recovery {
  struct Table {
    std::string name;
    std::uint64_t saved = 0;   // rows in the new file that are from the old one
    std::uint64_t stands = 0;  // placeholder rows for lost rows that other rows refer to
    std::uint64_t gaps = 0;    // places that cannot be read; each may have had any number of rows
  };
  std::vector<Table> tables;             // in the order of the schema; tables without rows included
  std::uint64_t senseless_rows = 0;      // left out: Kernsweep cannot have stored these values
  std::uint64_t contradicting_rows = 0;  // left out: two tables disagreed, or their attempt is lost
  std::uint64_t without_details = 0;     // outcomes whose attempt is lost: only `results` has numbers
  std::uint64_t missing_count = 0;       // jobs whose outcome is known to be lost
  std::vector<JobId> missing;            // these jobs, at most kMissingMax of them
  static constexpr std::size_t kMissingMax = 100'000;

  std::uint64_t sum_of(std::uint64_t Table::*count) const {
    std::uint64_t sum = 0;
    for (const Table& table : tables) sum += table.*count;
    return sum;
  }
  bool whole() const {
    return sum_of(&Table::gaps) == 0 && sum_of(&Table::stands) == 0 && senseless_rows == 0 &&
           contradicting_rows == 0 && without_details == 0 && missing_count == 0;
  }
};

// Writes the new file `to`, which must not exist. Errors (no new file is left then): `from` cannot be read,
// or a coordinator is using it; `to` exists or cannot be written; there is no row to save.
Result<Recovery> recover(const std::string& from, const std::string& to);

// "x.db" becomes "x.recovered.db".
std::string recovered_name(const std::string& database);
// The report for the user: a table of saved rows, the losses, and the next command.
std::string text_of(const Recovery& recovery, const std::string& from, const std::string& to);

// Reads the whole file: runs SQLite's integrity check, and looks for rows that make no sense. Returns one
// line per problem; an empty list if the file is undamaged. Error: the file cannot be opened, and its first
// bytes are not those of a Kernsweep database of this version.
Result<std::vector<std::string>> check_whole(const std::string& path);

}  // namespace kernsweep
