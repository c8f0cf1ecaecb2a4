// Tables: CSV files whose rows are the values of a record axis.
//
//   # comment lines and empty lines are skipped
//   label,m,n,k        the first other line names the columns
//   mm2,30,4096,14336  one row is one value; "quoted, text" may hold commas; an empty cell is null
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/file/yaml_tree.hpp"
#include "language/sweep.hpp"

namespace kernsweep {

struct Table {
  std::vector<Node> columns;            // scalars: names, with their places in the table's file
  std::vector<std::vector<Node>> rows;  // each as long as `columns`
};

// Errors, with the table's file and line: rows of different length, a column with an empty name or one that
// occurs twice, no rows, not UTF-8, a quote that is not closed, more than kListedValuesMax rows, and text
// in a column whose first row is a number.
Result<Table> parse_table(std::string_view text, const std::string& file);

// Reads the tables of a sweep, each once, and keeps them.
class TableSource {
 public:
  // `directory`: that of the sweep file; nothing if there is no file: then tables are rejected. `given` (it
  // must outlive the source): if not null, tables are taken from there, and no file is opened.
  TableSource(std::optional<std::string> directory, const std::vector<TextFile>* given)
      : directory_(std::move(directory)), given_(given) {}

  // The table at `path` (a scalar of the sweep file): below the directory or, if it is not there, the file
  // of that name in the sweep file's folder. Errors that are not about its content have the place in the
  // sweep file.
  Result<Table> read(const Node& path);
  // Moves out what was read so far, each table once.
  std::vector<TextFile> take() { return std::move(read_); }

 private:
  std::optional<std::string> directory_;
  const std::vector<TextFile>* given_;
  std::vector<TextFile> read_;
};

}  // namespace kernsweep
