// The shape of a results database, said once: `create table`, the views and docs/reference/results.md all
// come from the tables of columns here, and a test holds the document to them.
//
// Physical layout, chosen so that a job costs two B-tree insertions at their right-hand end:
//   outcome   one row per job, clustered by (sweep_id, job, job_host), which is also what makes a second
//   outcome of a
//             job impossible. Holds what queries filter, group and sort by, and the values of the point
//             (a1, a2, ...). A sweep's rows lie together, so a query over one sweep reads nothing else.
//   attempt_row  one row per attempt, by its number: the rest, with long texts replaced by numbers.
//   text      each of those texts once.
//   sample    the samples of an attempt: one blob of little-endian float64, which no other query has to
//   step over.
//   event     what happened to an attempt, a worker or a sweep and stands nowhere else: none for an attempt
//   that was sent and finished.
//   conditions  what it was like meanwhile, for attempts that were long enough to be watched.
// The words of the product (point, job, attempt, result, results and one view per sweep) are views over
// these. The views are what is promised to people's queries: columns are only ever added.
//
// Why the values of a point are repeated in each of its jobs: three short copies cost less than a second
// B-tree and a join in every query. Why they are called a1, a2, ...: sweeps differ in their columns, and
// one table lets a query see all sweeps; sweep_column says which is which, and the view of a sweep has the
// real names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep::schema {

inline constexpr std::int64_t kApplicationId = 0x4B737770;  // "Kswp"
inline constexpr int kVersion = 6;
inline constexpr std::size_t kColumnsMax = 1000;  // of one sweep; SQLite allows 2000 in a table

struct ColumnText {
  std::string_view name;
  std::string_view type;  // as SQLite declares it
  std::string_view unit;  // empty: none
  std::string_view sentence;
  std::string_view source = {};     // of a view: the expression it is computed from; empty: the name itself
  int since = 1;                    // the version whose files have it first
  std::string_view older = "null";  // of a table: the expression that stands for it in files before that
};

// How a column is added: `since(kVersion, {"name", "type", ...})` at the end of its table in
// schema_tables.cpp (NULL must be allowed, or a default be given), and `alter table ... add column ...`
// in the last step of schema_steps.cpp. A table: its TableText with `since`, and `create table` in that
// step. Nothing else: readers of older files, recovery and docs/reference/results.md (print
// schema::markdown()) follow, and tests of every older version say what was forgotten. Once a version has
// been released the next change begins a new one: kVersion, a step, and a file of the version before in the
// tests. `outcome` takes no further column, because the values of points stand behind its columns.
constexpr ColumnText since(int version, ColumnText column, std::string_view older = "null") {
  column.since = version;
  column.older = older;
  return column;
}

struct TableText {
  std::string_view name;
  bool view = false;
  std::string_view sentence;
  std::string_view key;  // table: what follows the columns; view: what follows `from`
  std::span<const ColumnText> columns;
  int since = 1;  // table: the version whose files have it first
};

// Tables in the order in which they are created, then views.
std::span<const TableText> tables();
std::span<const TableText> views();
// The fixed columns of `results` and of each sweep's view (where `params` is replaced by a column per
// value).
std::span<const ColumnText> result_columns();

std::string create_table(const TableText& table);
// Events of one job; those of workers and sweeps are few and need no index.
inline constexpr std::string_view kEventOfJob =
    "create index event_of_job on event (sweep_id, job, job_host) where job is not null";
inline constexpr std::string_view kNewIdentity =
    "insert into file_identity (id, identity) values (1, randomblob(16))";

// Statements that make an empty database one of version kVersion.
std::vector<std::string> creation();
// For each version below kVersion, in order, the statements that make the next one's tables of its tables.
// Text of its time, which nothing that is changed later can reach.
std::span<const std::string_view> migrations();
// Statements with which a reader, which changes nothing, sees a file of an older version as one of
// kVersion: temporary views that stand before its tables and views. `values` as below.
std::vector<std::string> seen_as_newest(std::int64_t version, std::size_t values);
// Whether the views of sweeps in a file of this version lack columns.
bool sweep_views_are_old(std::int64_t version);
// Makes the views over all sweeps, when `outcome` has the columns a1 ... a<values>; those that are there
// are replaced. In an older file that is only read: temporary ones.
enum class Kept : bool { no, yes };
std::vector<std::string> views_over_all(std::size_t values, Kept kept);

// One value of a sweep's points: where it is kept and what it is called in the view of the sweep.
struct StoredColumn {
  std::string name;       // in the sweep file
  std::string view_name;  // in the sweep's view
  int storage = 0;        // n: column a<n> of outcome; 0: the column `variant`
};

// Names for the view: a value keeps its name unless (letter case aside, as SQL compares names) a fixed
// column or an earlier value has it; then it becomes "axis.<name>", and "axis.<name>.2" and so on.
// `variant` is the fixed column.
std::vector<StoredColumn> place_columns(const std::vector<std::string>& names);
// The name of a sweep's view: its own, or "sweep.<name>" when the database needs that name itself.
std::string view_name_of(const std::string& sweep);
// Statements that (re)make the views "<name>@<id>" and "<name>" of a sweep.
std::vector<std::string> sweep_views(const std::string& sweep, std::uint32_t id, const std::string& kernel,
                                     const std::vector<StoredColumn>& columns, Kept kept = Kept::yes);

std::string quoted(std::string_view identifier);  // "a ""b"""
std::string literal(std::string_view text);       // 'it''s'

// The tables of docs/reference/results.md.
std::string markdown();

}  // namespace kernsweep::schema
