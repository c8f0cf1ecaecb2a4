// The schema of a results database, defined once: `create table`, the views and docs/reference/results.md
// are made from the same lists of columns. A test compares the document with them.
//
// Tables, designed so that a job costs few B-tree insertions, mostly at the right-hand end of the tree:
//   outcome      one row per job, with key (sweep_id, job, job_host): no job can have a second outcome.
//                Has the columns by which queries filter, group and sort, and the values of the point
//                (a1, a2, ...). A sweep's rows are adjacent: a query of one sweep reads no others.
//   attempt_row  one row per attempt: all other columns, with long texts replaced by ids.
//   text         these texts.
//   sample       the samples of an attempt as one blob of little-endian float64; other queries skip it.
//   event        changes of an attempt, a worker or a sweep that no other table records. An attempt
//                that was only sent and finished has none.
//   conditions   the state of the machine during an attempt; only for attempts that were watched.
// The user's terms (point, job, attempt, result, results and one view per sweep) are views over these
// tables. Only the views are a stable interface for the user's queries: columns are added, never removed.
//
// Why each job repeats the values of its point: a few short copies cost less than a second B-tree and a
// join in every query. Why the columns are named a1, a2, ...: sweeps have different columns, and with one
// table a query can read all sweeps. sweep_column has their names, which the view of a sweep uses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep::schema {

inline constexpr std::int64_t kApplicationId = 0x4B737770;  // "Kswp"
inline constexpr int kVersion = 7;
inline constexpr int kOldestVersion = 7;          // the oldest supported; earlier ones were never released
inline constexpr std::size_t kColumnsMax = 1000;  // of one sweep; SQLite allows 2000 in a table

struct ColumnText {
  std::string_view name;
  std::string_view type;  // SQLite's declaration: type and constraints
  std::string_view unit;  // empty: none
  std::string_view sentence;
  std::string_view source = {};  // of a view: the SQL expression of its value; empty: its name
};

// How to add a column: at the end of its table in schema_tables.cpp (NULL must be allowed, or there must be
// a default). Recovery and docs/reference/results.md (print schema::markdown()) follow. What fills the
// column: a member of its record in results/store/records.hpp and its line in store_record.cpp or
// store_conditions.cpp; a number that a worker measures also needs a field of protocol.proto, which
// coordinator/net/recording.cpp copies. Once a version was released, the next change needs a new one:
// kVersion, and a step in schema_steps.cpp. `outcome` must not get fixed columns, because the values of
// points follow these.
struct TableText {
  std::string_view name;
  bool view = false;
  std::string_view sentence;
  std::string_view key;  // table: the text after the columns; view: the text after `from`
  std::span<const ColumnText> columns;
};

// All tables, in the order in which they are created; all views.
std::span<const TableText> tables();
std::span<const TableText> views();
// The fixed columns of `results` and of each sweep's view. After them `results` has `params`, and the view
// of a sweep has one column per value.
std::span<const ColumnText> result_columns();

// The SQL statement that creates the table.
std::string create_table(const TableText& table);
// Index for the events of one job. Events of workers and sweeps are few and need no index.
inline constexpr std::string_view kEventOfJob =
    "create index event_of_job on event (sweep_id, job, job_host) where job is not null";
inline constexpr std::string_view kNewIdentity =
    "insert into file_identity (id, identity) values (1, randomblob(16))";

// Statements that create all tables, indices and views of version kVersion in an empty database.
std::vector<std::string> creation();
// Element n has the statements that change the tables of version kOldestVersion + n to those of the next
// one. They are fixed texts, which do not depend on later changes of the schema.
std::span<const std::string_view> migrations();
// Statements that create the views over all sweeps, for an `outcome` with the columns a1 ... a<values>.
// Existing views are replaced.
std::vector<std::string> views_over_all(std::size_t values);

// One value of a sweep's points: its column in `outcome`, and its name in the view of the sweep.
struct StoredColumn {
  std::string name;       // in the sweep file
  std::string view_name;  // in the sweep's view
  int storage = 0;        // n: column a<n> of outcome; 0: the column `variant`
};

// Assigns columns and view names to values, in order. A value keeps its name unless a fixed column or an
// earlier value has it (ignoring letter case, as SQL does); then it becomes "axis.<name>", "axis.<name>.2"
// and so on. The value `variant` uses the fixed column.
std::vector<StoredColumn> place_columns(const std::vector<std::string>& names);
// The name of a sweep's view: the sweep's name, or "sweep.<name>" if that name is reserved.
std::string view_name_of(const std::string& sweep);
// Statements that create or replace the views "<name>@<id>" and "<name>" of a sweep.
std::vector<std::string> sweep_views(const std::string& sweep, std::uint32_t id, const std::string& kernel,
                                     const std::vector<StoredColumn>& columns);

std::string quoted(std::string_view identifier);  // "a ""b"""
std::string literal(std::string_view text);       // 'it''s'

// The Markdown text of the tables of docs/reference/results.md.
std::string markdown();

}  // namespace kernsweep::schema
