#include "results/store/stored_sweeps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "results/sqlite/insertion.hpp"
#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Connection;
using sqlite::Step;

std::string_view name_of(SweepState state) {
  switch (state) {
    case SweepState::running:
      return "running";
    case SweepState::finished:
      return "finished";
    case SweepState::stopped:
      return "stopped";
    case SweepState::cancelled:
      return "cancelled";
    case SweepState::superseded:
      return "superseded";
  }
  return "stopped";
}

std::optional<SweepState> sweep_state_named(std::string_view name) {
  for (const SweepState state : {SweepState::running, SweepState::finished, SweepState::stopped,
                                 SweepState::cancelled, SweepState::superseded})
    if (name_of(state) == name) return state;
  return std::nullopt;
}

std::string imported_from(const SweepRecord& record) {
  const auto found = record.tags.find(kImportedFrom);
  return found == record.tags.end() ? "" : found->second;
}

Result<std::int64_t> width_of(Connection& database) {
  return database.integer("select count(*) from pragma_table_info('outcome') where name glob 'a[0-9]*'");
}

namespace {

Status execute_all(Connection& database, const std::vector<std::string>& statements) {
  for (const std::string& statement : statements) KS_RETURN_IF_ERROR(database.execute(statement));
  return Done{};
}

Status make_views_of_sweeps(Connection& database) {
  KS_ASSIGN_OR_RETURN(auto sweeps, database.prepare("select id, name, kernel from sweep order by id"));
  KS_ASSIGN_OR_RETURN(
      auto columns,
      database.prepare(
          "select name, view_name, storage from sweep_column where sweep_id = ? order by position"));
  std::vector<std::string> statements;
  Step step;
  while ((step = sweeps.step()) == Step::row) {
    columns.bind(1, sweeps.integer(0));
    std::vector<schema::StoredColumn> all;
    Step next;
    while ((next = columns.step()) == Step::row)
      all.push_back({std::string(columns.text(0)), std::string(columns.text(1)),
                     static_cast<int>(columns.integer(2))});
    if (next != Step::done) return failure(columns.why());
    for (std::string& statement :
         schema::sweep_views(std::string(sweeps.text(1)), static_cast<std::uint32_t>(sweeps.integer(0)),
                             std::string(sweeps.text(2)), all))
      statements.push_back(std::move(statement));
  }
  if (step != Step::done) return failure(sweeps.why());
  return execute_all(database, statements);
}

}  // namespace

Status widen(Connection& database, int wanted) {
  KS_ASSIGN_OR_RETURN(const auto width, width_of(database));
  const auto have = static_cast<int>(width);
  if (have >= wanted) return Done{};
  for (int n = have + 1; n <= wanted; ++n)
    KS_RETURN_IF_ERROR(database.execute(fmt::format("alter table outcome add column a{}", n)));
  return execute_all(database, schema::views_over_all(static_cast<std::size_t>(wanted)));
}

Status make_views(Connection& database) {
  KS_ASSIGN_OR_RETURN(const auto width, width_of(database));
  const auto all = schema::views_over_all(static_cast<std::size_t>(width));
  KS_RETURN_IF_ERROR(execute_all(database, all));
  return make_views_of_sweeps(database);
}

Status renew_views(Connection& database) {
  KS_ASSIGN_OR_RETURN(const auto width, width_of(database));
  // SQLite writes the first two words of a statement in capitals, and keeps the rest.
  KS_ASSIGN_OR_RETURN(auto same, database.prepare("select exists (select 1 from sqlite_schema where type = "
                                                  "'view' and lower(substr(sql, 1, 12)) || substr(sql, 13) "
                                                  "= ?)"));
  bool all_same = true;
  for (const std::string& statement : schema::views_over_all(static_cast<std::size_t>(width))) {
    if (!statement.starts_with("create view ")) continue;
    same.bind(1, statement);
    if (same.step() != Step::row) return failure(same.why());
    all_same = all_same && same.integer(0) != 0;
    same.reset();
  }
  if (all_same) return Done{};
  KS_RETURN_IF_ERROR(database.execute("begin immediate"));
  if (auto done = make_views(database); !done) {
    (void)database.execute("rollback");
    return done;
  }
  return database.execute("commit");
}

namespace {

struct SweepRow {
  const SweepRecord& record;
  SweepId id;
};
template <auto kMember>
void of_sweep(Parameter to, const SweepRow& from) {
  to.set(from.record.*kMember);
}
constexpr Field<SweepRow> kSweep[] = {
    {"id", stored<&SweepRow::id>},
    {"name", of_sweep<&SweepRecord::name>},
    {"kernel", of_sweep<&SweepRecord::kernel>},
    {"file", of_sweep<&SweepRecord::file>},
    {"text", of_sweep<&SweepRecord::text>},
    {"replacements", of_sweep<&SweepRecord::replacements>},
    {"seed", of_sweep<&SweepRecord::seed>},
    {"processes", of_sweep<&SweepRecord::processes>},
    {"raw_points", of_sweep<&SweepRecord::raw_points>},
    {"raw_jobs", of_sweep<&SweepRecord::raw_jobs>},
    {"quick", of_sweep<&SweepRecord::quick>},
    {"identity", of_sweep<&SweepRecord::identity>},
    {"state", [](Parameter to, const SweepRow&) { to.set(name_of(SweepState::running)); }},
    {"started_unix_s", of_sweep<&SweepRecord::started_unix_s>},
    {"ended_unix_s", [](Parameter to, const SweepRow&) { to.set_null(); }},
    {"priority", of_sweep<&SweepRecord::priority>},
    {"submitted", of_sweep<&SweepRecord::submitted>},
    {"outputs_ignored", of_sweep<&SweepRecord::outputs_ignored>},
    {"processes_least",
     [](Parameter to, const SweepRow& from) { to.set_known(from.record.processes_least); }},
};

struct TagRow {
  SweepId sweep;
  std::string_view name, value;
};
constexpr Field<TagRow> kTag[] = {
    {"sweep_id", stored<&TagRow::sweep>},
    {"name", stored<&TagRow::name>},
    {"value", stored<&TagRow::value>},
};

struct FileRow {
  SweepId sweep;
  std::string_view path, content;
};
constexpr Field<FileRow> kFile[] = {
    {"sweep_id", stored<&FileRow::sweep>},
    {"path", stored<&FileRow::path>},
    {"content", stored<&FileRow::content>},
};

struct ColumnRow {
  SweepId sweep;
  std::uint64_t position;
  const schema::StoredColumn& column;
  int derived;  // 1, or StandsFor
  std::optional<bool> problem;
};
constexpr Field<ColumnRow> kColumn[] = {
    {"sweep_id", stored<&ColumnRow::sweep>},
    {"position", stored<&ColumnRow::position>},
    {"name", [](Parameter to, const ColumnRow& from) { to.set(from.column.name); }},
    {"view_name", [](Parameter to, const ColumnRow& from) { to.set(from.column.view_name); }},
    {"storage", [](Parameter to, const ColumnRow& from) { to.set(from.column.storage); }},
    {"derived", stored<&ColumnRow::derived>},
    {"has_null", [](Parameter to, const ColumnRow&) { to.set(false); }},  // no point is recorded yet
    {"problem", stored<&ColumnRow::problem>},
};

Status add_tags(Connection& database, SweepId id, const SweepRecord& record) {
  for (const auto& [name, value] : record.tags)
    KS_RETURN_IF_ERROR(insert_one(database, "sweep_tag", kTag, {id, name, value}));
  return Done{};
}

// A file that is already stored is not changed.
Status add_files(Connection& database, SweepId id, const SweepRecord& record) {
  for (const auto& [path, content] : record.files)
    if (auto done =
            insert_one(database, "sweep_file", kFile, {id, path, content}, "on conflict do nothing");
        !done)
      return done;
  return Done{};
}

Status add_columns(Connection& database, SweepId id, const SweepRecord& record,
                   const std::vector<schema::StoredColumn>& placed) {
  KS_ASSIGN_OR_RETURN(auto row, prepare_insertion(database, "sweep_column", kColumn));
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const int words = i < record.stands_for.size() ? static_cast<int>(record.stands_for[i]) : 0;
    give_all(row, kColumn,
             {id, i, placed[i], i >= record.parameter_count ? 1 : words,
              i < record.problem.size() ? record.problem[i] : std::nullopt});
    KS_RETURN_IF_ERROR(row.run());
  }
  return Done{};
}

}  // namespace

bool has_columns(Connection& database, SweepId id, const std::vector<std::string>& columns) {
  auto rows = database.prepare("select name from sweep_column where sweep_id = ? order by position");
  if (!rows) return false;
  rows->bind(1, id.value);
  std::size_t found = 0;
  Step step;
  while ((step = rows->step()) == Step::row) {
    if (found >= columns.size() || rows->text(0) != columns[found]) return false;
    ++found;
  }
  return step == Step::done && found == columns.size();
}

Result<std::optional<SweepId>> find_sweep(Connection& database, const Digest& identity) {
  KS_ASSIGN_OR_RETURN(auto found, database.prepare("select max(id) from sweep where identity = ?"));
  found.bind_blob(1, identity.view());
  if (found.step() != Step::row) return failure(found.why());
  if (found.is_null(0)) return std::nullopt;
  return SweepId{static_cast<std::uint32_t>(found.integer(0))};
}

// Sets the state to running: if the coordinator is killed after this, the next one continues the sweep.
Status submit_again(Connection& database, SweepId id, const SweepRecord& record) {
  KS_ASSIGN_OR_RETURN(auto row, database.prepare("update sweep set submitted = 1, priority = ?, state = "
                                                 "'running', ended_unix_s = null where id = ?"));
  row.bind(1, record.priority);
  row.bind(2, id.value);
  KS_RETURN_IF_ERROR(row.run());
  return add_files(database, id, record);
}

Result<bool> knows_problem(Connection& database, SweepId id,
                           const std::vector<std::optional<bool>>& problem) {
  KS_ASSIGN_OR_RETURN(
      auto rows, database.prepare("select problem from sweep_column where sweep_id = ? order by position"));
  rows.bind(1, id.value);
  bool same = true;
  Step step;
  for (std::size_t i = 0; (step = rows.step()) == Step::row; ++i)
    if (i < problem.size() && problem[i])
      same = same && !rows.is_null(0) && (rows.integer(0) != 0) == *problem[i];
  if (step != Step::done) return failure(rows.why());
  return same;
}

Status set_problem(Connection& database, SweepId id, const std::vector<std::optional<bool>>& problem) {
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (!problem[i]) continue;
    KS_RETURN_IF_ERROR(database.execute(
        fmt::format("update sweep_column set problem = {} where sweep_id = {} and position = {}",
                    *problem[i] ? 1 : 0, id.value, i)));
  }
  return Done{};
}

Result<SweepId> add_sweep(Connection& database, const SweepRecord& record) {
  KS_ASSIGN_OR_RETURN(const auto last, database.integer("select max(id) from sweep"));
  const SweepId id{static_cast<std::uint32_t>(last) + 1};
  const auto placed = schema::place_columns(record.columns);
  int wanted = 0;
  for (const auto& column : placed) wanted = std::max(wanted, column.storage);
  KS_RETURN_IF_ERROR(widen(database, wanted));
  KS_RETURN_IF_ERROR(insert_one(database, "sweep", kSweep, {record, id}));
  KS_RETURN_IF_ERROR(add_tags(database, id, record));
  KS_RETURN_IF_ERROR(add_files(database, id, record));
  KS_RETURN_IF_ERROR(add_columns(database, id, record, placed));
  for (const std::string& statement : schema::sweep_views(record.name, id.value, record.kernel, placed))
    KS_RETURN_IF_ERROR(database.execute(statement));
  return id;
}

namespace {

// Calls `use` for each row of `sql`, whose only parameter is the sweep.
Status each_of(Connection& database, std::string_view sql, SweepId id,
               const std::function<void(const sqlite::Statement&)>& use) {
  KS_ASSIGN_OR_RETURN(auto rows, database.prepare(sql));
  rows.bind(1, id.value);
  Step step;
  while ((step = rows.step()) == Step::row) use(rows);
  if (step != Step::done) return failure(rows.why());
  return Done{};
}

Status read_parts(Connection& database, StoredSweep& sweep) {
  SweepRecord& record = sweep.record;
  record.parameter_count = 0;
  auto done = each_of(
      database, "select name, derived, problem from sweep_column where sweep_id = ? order by position",
      sweep.id, [&](const sqlite::Statement& row) {
        record.columns.emplace_back(row.text(0));
        if (row.integer(1) != 1) ++record.parameter_count;
        record.problem.push_back(row.is_null(2) ? std::nullopt : std::optional(row.integer(2) != 0));
      });
  if (!done) return done;
  done = each_of(database, "select name, value from sweep_tag where sweep_id = ?", sweep.id,
                 [&](const sqlite::Statement& row) { record.tags.emplace(row.text(0), row.text(1)); });
  if (!done) return done;
  return each_of(database, "select path, content from sweep_file where sweep_id = ? order by path",
                 sweep.id, [&](const sqlite::Statement& row) {
                   record.files.push_back({std::string(row.text(0)), std::string(row.text(1))});
                 });
}

Status count_jobs(Connection& database, StoredSweep& sweep) {
  KS_ASSIGN_OR_RETURN(
      auto counts,
      database.prepare(
          "select count(*), count(*) filter (where status = 'ok') from outcome where sweep_id = ?"));
  counts.bind(1, sweep.id.value);
  if (counts.step() != Step::row) return failure(counts.why());
  sweep.answered_jobs = static_cast<std::uint64_t>(counts.integer(0));
  sweep.accepted_jobs = static_cast<std::uint64_t>(counts.integer(1));
  return Done{};
}

}  // namespace

Result<std::optional<StoredSweep>> stored_sweep(Connection& database, const std::string& name,
                                                std::optional<SweepId> id, Counted counted) {
  KS_ASSIGN_OR_RETURN(auto row,
                      database.prepare("select id, name, kernel, file, text, replacements, seed, "
                                       "processes, raw_points, raw_jobs, quick, "
                                       "identity, state, started_unix_s, priority, submitted, "
                                       "outputs_ignored, processes_least from sweep where (?1 is null "
                                       "or "
                                       "name = ?1) and (?2 is null or id = ?2) order by id desc limit 1"));
  if (name.empty())
    row.bind_null(1);
  else
    row.bind(1, name);
  if (id)
    row.bind(2, id->value);
  else
    row.bind_null(2);
  const Step step = row.step();
  if (step == Step::done) return std::nullopt;
  if (step != Step::row) return failure(row.why());
  StoredSweep sweep;
  sweep.id.value = static_cast<std::uint32_t>(row.integer(0));
  SweepRecord& record = sweep.record;
  record.name = row.text(1);
  record.kernel = row.text(2);
  record.file = row.text(3);
  record.text = row.text(4);
  record.replacements = row.text(5);
  record.seed = static_cast<std::uint64_t>(row.integer(6));
  record.processes = static_cast<std::uint32_t>(row.integer(7));
  record.raw_points = static_cast<std::uint64_t>(row.integer(8));
  record.raw_jobs = static_cast<std::uint64_t>(row.integer(9));
  record.quick = row.integer(10) != 0;
  record.identity = digest_from_bytes(row.text(11)).value_or(Digest{});
  sweep.state = sweep_state_named(row.text(12)).value_or(SweepState::stopped);
  record.started_unix_s = row.real(13);
  record.priority = static_cast<std::int32_t>(row.integer(14));
  record.submitted = row.integer(15) != 0;
  record.outputs_ignored = row.integer(16) != 0;
  record.processes_least = static_cast<std::uint32_t>(row.integer(17));  // NULL: 0
  KS_RETURN_IF_ERROR(read_parts(database, sweep));
  if (counted == Counted::yes) KS_RETURN_IF_ERROR(count_jobs(database, sweep));
  return sweep;
}

}  // namespace kernsweep
