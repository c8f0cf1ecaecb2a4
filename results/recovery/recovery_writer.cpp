#include "results/recovery/recovery_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

using sqlite::Statement;
using sqlite::Step;

namespace {

using Kind = sqlite::Cell::Kind;

void bind(Statement& statement, int at, const StoredField& field) {
  switch (field.kind) {
    case Kind::integer:
      return statement.bind(at, field.integer);
    case Kind::real:
      return statement.bind(at, field.real);
    case Kind::text:
      return statement.bind(at, field.bytes);
    case Kind::blob:
      return statement.bind_blob(at, field.bytes);
    default:
      statement.bind_null(at);
  }
}

// True if the outcome `o` and its attempt `a` differ in a value that both tables store.
constexpr std::string_view kDisagree =
    "case when o.reused = 1 then o.median_s is not a.median_s else "
    "not (a.final = 1 and a.sweep_id = o.sweep_id and a.job = o.job and a.job_host = o.job_host and "
    "a.attempt = o.attempt and a.status = o.status and a.host_id is o.host_id and "
    "a.software_id is o.software_id and a.median_s is o.median_s) end";

bool nearly(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// Compares the attempt's quantiles and number of samples (columns 1 to 6 of `row`) with its samples (7).
bool agrees_with_samples(const Statement& row) {
  const std::string_view bytes = row.text(7);
  std::vector<double> samples(bytes.size() / sizeof(double));
  if (static_cast<std::int64_t>(samples.size()) != row.integer(6)) return false;
  if (samples.empty()) return true;
  std::memcpy(samples.data(), bytes.data(), samples.size() * sizeof(double));
  for (const double each : samples)
    if (!std::isfinite(each)) return false;
  const Summary s = summarise(samples);
  int at = 1;
  for (const double quantile : {s.min, s.q1, s.median, s.q3, s.max})
    if (!nearly(quantile, row.real(at++))) return false;
  return true;
}

}  // namespace

Result<std::uint64_t> RecoveryWriter::run(const std::string& sql) {
  KS_ASSIGN_OR_RETURN(auto statement, database_.prepare(sql));
  KS_RETURN_IF_ERROR(statement.run());
  return static_cast<std::uint64_t>(database_.changed_rows());
}

Status RecoveryWriter::begin() {
  return database_.execute("begin immediate");
}

Status RecoveryWriter::prepare(const RowShape& shape) {
  const std::string name(shape.table->name);
  std::string names, marks;
  const auto add = [&](const std::string& column) {
    names += (names.empty() ? "" : ", ") + column;
    marks += marks.empty() ? "?" : ", ?";
  };
  for (const schema::ColumnText& column : shape.table->columns) add(schema::quoted(column.name));
  for (std::size_t n = 1; name == "outcome" && n <= values_; ++n) add(fmt::format("a{}", n));
  // The new file was created with an identity of its own; that of the old file replaces it.
  const char* otherwise = name == "file_identity" ? "replace" : "ignore";
  KS_ASSIGN_OR_RETURN(auto made, database_.prepare(fmt::format("insert or {} into {} ({}) values ({})",
                                                               otherwise, name, names, marks)));
  inserts_[&shape] = std::move(made);
  return Done{};
}

Status RecoveryWriter::add(const RowShape& shape, const StoredRow& row) {
  const auto columns = shape.table->columns;
  if (row.fields.size() > columns.size() + values_) {
    values_ = row.fields.size() - columns.size();
    if (values_ > schema::kColumnsMax) return Done{};
    KS_RETURN_IF_ERROR(widen(database_, static_cast<int>(values_)));
    inserts_.erase(&shape);
  }
  if (!inserts_.contains(&shape)) KS_RETURN_IF_ERROR(prepare(shape));
  Statement& insert = inserts_[&shape];
  const std::size_t count = columns.size() + (shape.table->name == "outcome" ? values_ : 0);
  for (std::size_t i = 0; i < count; ++i) {
    const int at = static_cast<int>(i) + 1;
    if (i == 0 && shape.number_is_column)
      insert.bind(at, row.number);
    else if (i < row.fields.size())
      bind(insert, at, row.fields[i]);
    else if (i < columns.size() && columns[i].type.ends_with("default 0"))
      insert.bind(at, 0);
    else
      insert.bind_null(at);
  }
  KS_RETURN_IF_ERROR(insert.run());
  for (Recovery::Table& table : recovery_.tables)
    if (table.name == shape.table->name)
      table.saved += static_cast<std::uint64_t>(database_.changed_rows());
  return Done{};
}

Status RecoveryWriter::compare_samples() {
  KS_ASSIGN_OR_RETURN(auto rows, database_.prepare("select result, min_s, q1_s, median_s, q3_s, max_s, "
                                                   "samples, seconds from attempt_row join sample "
                                                   "using (result) where median_s is not null"));
  KS_ASSIGN_OR_RETURN(auto doubt, database_.prepare("insert or ignore into temp.doubted values (?)"));
  Step step;
  while ((step = rows.step()) == Step::row) {
    if (agrees_with_samples(rows)) continue;
    doubt.bind(1, rows.integer(0));
    KS_RETURN_IF_ERROR(doubt.run());
  }
  return step == Step::done ? Status(Done{}) : failure(rows.why());
}

Recovery::Table& RecoveryWriter::counts_of(std::string_view table) {
  const auto found = std::ranges::find(recovery_.tables, table, &Recovery::Table::name);
  KS_ASSERT(found != recovery_.tables.end());
  return *found;
}

Status RecoveryWriter::leave_out_contradictions() {
  auto done = database_.execute(
      fmt::format("create temp table doubted (result integer primary key);"
                  "create temp table missing (sweep_id integer, job integer, job_host integer, "
                  "primary key (sweep_id, job, job_host)) without rowid;"
                  "insert or ignore into doubted select o.result from outcome o join attempt_row a on "
                  "a.result = o.result "
                  "where {} and not o.reused",
                  kDisagree));
  if (!done) return done;
  if (done = compare_samples(); !done) return done;
  // A reused outcome is left out together with the attempt that it refers to.
  const std::string doubtful = fmt::format(
      "from outcome as o where result in (select result from doubted) or (reused = 1 and exists (select 1 "
      "from attempt_row a where a.result = o.result and {}))",
      kDisagree);
  done = database_.execute("insert or ignore into missing select sweep_id, job, job_host " + doubtful);
  if (!done) return done;
  KS_ASSIGN_OR_RETURN(const auto outcomes, run("delete " + doubtful));
  counts_of("outcome").saved -= outcomes;
  recovery_.contradicting_rows += outcomes;
  for (const char* table : {"attempt_row", "sample", "conditions", "metric"}) {
    KS_ASSIGN_OR_RETURN(
        const auto rows,
        run(fmt::format("delete from {} where result in (select result from doubted)", table)));
    counts_of(table).saved -= rows;
    recovery_.contradicting_rows += rows;
  }
  return Done{};
}

Status RecoveryWriter::collect_missing() {
  // If the outcome of a final attempt is lost, the job must be tried again.
  KS_RETURN_IF_ERROR(database_.execute(
      "insert or ignore into missing select sweep_id, job, job_host from attempt_row a where final = 1 and "
      "not exists (select 1 from outcome o where o.sweep_id = a.sweep_id and o.job = a.job and "
      "o.job_host = a.job_host);"
      "update attempt_row as a set final = 0 where final = 1 and not exists (select 1 from outcome o where "
      "o.sweep_id = a.sweep_id and o.job = a.job and o.job_host = a.job_host and o.result = a.result)"));
  KS_ASSIGN_OR_RETURN(const auto count, database_.integer("select count(*) from missing"));
  recovery_.missing_count = static_cast<std::uint64_t>(count);
  KS_ASSIGN_OR_RETURN(
      auto rows, database_.prepare(fmt::format("select * from missing limit {}", Recovery::kMissingMax)));
  while (rows.step() == Step::row)
    recovery_.missing.push_back({SweepId{static_cast<std::uint32_t>(rows.integer(0))},
                                 static_cast<std::uint64_t>(rows.integer(1)),
                                 static_cast<std::uint32_t>(rows.integer(2))});
  return Done{};
}

Status RecoveryWriter::finish() {
  inserts_.clear();
  const auto steps = {&RecoveryWriter::leave_out_contradictions, &RecoveryWriter::collect_missing,
                      &RecoveryWriter::stand_in_for_attempts};
  for (const auto step : steps) KS_RETURN_IF_ERROR((this->*step)());
  const std::string everything =
      "select sweep_id from outcome union select sweep_id from attempt_row union select sweep_id from "
      "sweep_column union select sweep_id from sweep_tag union select sweep_id from sweep_file union "
      "select sweep_id from event";
  std::string texts;
  for (const char* column :
       {"reason", "stderr", "grade_reasons", "runtime", "affinity", "environment", "thread_environment",
        "inputs", "stopped_by", "gpus", "notes", "verified_by", "distrust", "output_sample"})
    texts += fmt::format("{}select {} from attempt_row", texts.empty() ? "" : " union ", column);
  const std::pair<const char*, std::string> spoken_of[] = {
      {"sweep", everything},
      {"host",
       "select host_id from outcome union select host_id from attempt_row union select host_id from event "
       "union select job_host from outcome where job_host > 0"},
      {"software", "select software_id from outcome union select software_id from attempt_row"},
      {"text", texts},
  };
  for (const auto& [table, ids] : spoken_of) KS_RETURN_IF_ERROR(stand_in(table, ids));
  KS_RETURN_IF_ERROR(stand_in_for_columns());
  KS_RETURN_IF_ERROR(make_all_views());
  return database_.execute("drop table temp.doubted; drop table temp.missing; commit");
}

}  // namespace kernsweep
