// One metric of a sweep as a table of two or more axes: a row for each problem and each value of the chosen
// settings, a column for each value of one axis.
//
// A row never mixes problems: columns of the problem that were not requested, and that differ, become rows,
// too; so do cache states and kinds of host. Within a row all points compete by the rules of `best`
// (results/answer/best/best_groups.hpp). A cell shows the best of its points.
//
// A cell is marked as the best of its row only if the contest shows it: its point wins, or all points that
// could be the best of the row are in this cell. The contest returns that set, so there is no other test
// here.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/answer/best/best.hpp"

namespace kernsweep {

struct PivotQuestion {
  BestQuestion of;                // `by` and `rows_max` are not used
  std::vector<std::string> rows;  // column names of the sweep file
  std::string columns;            // empty: variant or, if that is not an axis or is a row, the next setting
  std::string where;              // SQL over the columns of the sweep's view; empty: all jobs
};

enum class PivotMark : std::uint8_t {
  none = 0,
  best,    // with confidence 1 - alpha no other cell of the row is as good
  tied,    // as good as the leader of the row, within the margin
  may_be,  // not decided: could be the best of the row
};
std::string_view name_of(PivotMark mark);  // "best", "tied", "may be the best"; none: ""

struct PivotCell {
  double number = kUnknown;             // of the metric; NaN: nothing was measured here
  Interval bounds{kUnknown, kUnknown};  // confidence 1 - alpha; NaN: not known
  std::uint32_t points = 0;             // number of points in the cell; this one is the best
  std::uint32_t processes = 0;          // of it
  std::uint64_t result = 0;             // the id of one of its results
  bool disturbed = false;               // measured only under disturbance
  bool other_output = false;            // differs from that of most settings of its problem
  PivotMark mark = PivotMark::none;
  // The variant and the settings of its point that are neither row nor column.
  NamedValues settings;
};

struct PivotRow {
  std::vector<Value> values;     // values of PivotAnswer::rows
  std::string verdict;           // of the contest of the row, as in `best`; empty: there is none
  std::uint64_t not_judged = 0;  // points with a number that is not above zero: no cell is marked
  std::vector<PivotCell> cells;  // one for each of PivotAnswer::values
};

struct PivotAnswer {
  // The counts, what was left out, and the metric. Without rows.
  BestAnswer about;
  std::string unit;               // empty: not known
  std::vector<std::string> rows;  // names: of the problem, [cache], [host], requested ones
  std::vector<char> added;        // for each of `rows`: 1: of the problem, and not requested
  std::vector<char> of_problem;   // for each of `rows`: 1: of the problem, or derived
  NamedValues everywhere;         // of the problem: the same in all rows
  std::string column;
  bool column_of_problem = false;  // the same for the column
  std::vector<Value> values;       // of the column, in the order of the sweep
  // The name of a column that is part of the problem and changes the work, so cells of a row cannot be
  // compared and none is marked; empty: they can.
  std::string not_compared;
  std::vector<std::string> chosen;  // settings that differ within a cell, and `software`; the best is shown
  double margin = 0, alpha = 0;     // of the verdicts
  std::vector<PivotRow> table;
};

// Errors: no such sweep or column, a column twice; `where` is not valid SQL or selects no job; a counted
// metric without a declared direction.
Result<PivotAnswer> pivot(Reader& reader, const PivotQuestion& question);

}  // namespace kernsweep
