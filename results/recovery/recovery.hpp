// Copies the rows of a damaged results database that can still be read into a new database.
//
// The file's own tree of pages is not trusted. Each page is read by itself, and the table of a row is
// recognised by the row's form (row_shapes.hpp). Pages that the tree still reaches are read first, so that
// a row of an older page never replaces a newer one.
//
// Promises:
//   - the old file and its log are only read;
//   - every row of an undamaged page is saved, even if the pages that lead to it are lost; of a damaged
//     page, the rows that are still readable and plausible are saved;
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
  };
  std::vector<Table> tables;             // in the order of the schema; tables without rows included
  std::uint64_t pages = 0;               // pages that the file should have (PageFile::pages)
  std::uint64_t damaged_pages = 0;       // damaged in part or as a whole, or missing
  std::uint64_t unreadable_rows = 0;     // unreadable or implausible rows of partly readable pages
  std::uint64_t contradicting_rows = 0;  // left out: two tables disagreed, or their attempt is lost
  std::uint64_t without_details = 0;     // outcomes whose attempt is lost: only `results` has numbers
  std::uint64_t missing_count = 0;       // jobs whose outcome is known to be lost
  std::vector<JobId> missing;            // these jobs, at most kMissingMax of them
  static constexpr std::size_t kMissingMax = 100'000;

  bool whole() const {
    return damaged_pages == 0 && unreadable_rows == 0 && contradicting_rows == 0 && without_details == 0 &&
           missing_count == 0;
  }
  std::uint64_t saved() const {
    std::uint64_t rows = 0;
    for (const Table& table : tables) rows += table.saved;
    return rows;
  }
};

// Writes the new file `to`, which must not exist. Errors (no new file is left then): `from` cannot be read,
// or a coordinator is using it; `to` exists or cannot be written; there is no row to save.
Result<Recovery> recover(const std::string& from, const std::string& to);

// "x.db" becomes "x.recovered.db".
std::string recovered_name(const std::string& database);
// The report for the user: a table of saved rows, the losses, and the next command.
std::string text_of(const Recovery& recovery, const std::string& from, const std::string& to);

// Reads the whole file: runs SQLite's integrity check and looks for damaged pages and unreadable rows as
// recover() does. Returns one line per problem; an empty list if the file is undamaged. Errors: the file
// cannot be opened as a database, and it has no row that recover() could save or is of a newer version.
Result<std::vector<std::string>> check_whole(const std::string& path);

}  // namespace kernsweep
