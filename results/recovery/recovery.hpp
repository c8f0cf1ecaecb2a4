// What can be saved of a damaged results database, written into a new one.
//
// The file's own tree of pages is not trusted. Each page is looked at for itself; which table its rows are
// of is told by their form. Pages that the tree still leads to go first, so that a row of an older, freed
// page never takes the place of a newer one.
//
// Promises:
//   - the old file and its log are only read;
//   - every row is saved that lies on a page that is still whole, also where the pages that lead to it are
//   gone; and of a damaged page the rows that can still be read and make sense;
//   - what two tables say of the same attempt must agree, or the job is left out: it is measured again;
//   - the new file is of the newest version, has all views, passes SQLite's own check and can be gone on
//   with by `kernsweep resume`. Numbers that rows of lost ones are called by are never given out again.
// What is not seen: a bit that changed within a value, where nothing else tells that value
// (docs/reference/results.md).
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
    std::uint64_t stands = 0;  // rows made up for lost ones that others speak of
  };
  std::vector<Table> tables;  // in the order of the schema; those without rows too
  std::uint64_t pages = 0;    // there should be
  std::uint64_t damaged_pages = 0;
  std::uint64_t unreadable_rows = 0;     // of pages that could be read in part
  std::uint64_t contradicting_rows = 0;  // left out because two tables disagreed
  std::uint64_t without_details = 0;     // outcomes whose attempt is lost: numbers of `results` only
  std::uint64_t missing_count = 0;
  std::vector<JobId> missing;  // jobs that had an outcome which is lost; the first kMissingMax
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

// Requires that `to` does not exist. Errors, after which there is no new file: `from` cannot be read or is
// being written, `to` exists or cannot be written, there is no row to save.
Result<Recovery> recover(const std::string& from, const std::string& to);

// "x.db" becomes "x.recovered.db".
std::string recovered_name(const std::string& database);
std::string text_of(const Recovery& recovery, const std::string& from, const std::string& to);

// All of SQLite's own checks, and what recover() would find: a line for each trouble; none: the file is
// whole. Reads all of it. Error: it cannot be used, and there is no row that recover() could save, or it is
// of a newer version.
Result<std::vector<std::string>> check_whole(const std::string& path);

}  // namespace kernsweep
