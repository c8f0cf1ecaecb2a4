#include "results/recovery/recovery_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "results/recovery/table_rows.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

using sqlite::Statement;
using sqlite::Step;

namespace {

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

Status RecoveryWriter::copy_table(sqlite::Connection& copy, const schema::TableText& table) {
  TableRows rows(copy, table, values_);
  const int columns = static_cast<int>(rows.columns().size());
  KS_ASSIGN_OR_RETURN(
      auto insert,
      database_.prepare(fmt::format(
          "insert or ignore into {} (\"{}\") values ({})", table.name, fmt::join(rows.columns(), "\", \""),
          fmt::join(std::vector<std::string>(rows.columns().size(), "?"), ", "))));
  const auto add = [&](const Statement& row, int first) -> Result<bool> {
    for (int i = 0; i < columns; ++i) insert.bind(i + 1, row, first + i);
    KS_RETURN_IF_ERROR(insert.run());
    counts_of(table.name).saved += static_cast<std::uint64_t>(database_.changed_rows());
    return database_.changed_rows() > 0;
  };
  KS_RETURN_IF_ERROR(rows.read(add));
  counts_of(table.name).gaps = rows.gaps();
  recovery_.senseless_rows += rows.senseless();
  return Done{};
}

Status RecoveryWriter::copy_rows(sqlite::Connection& copy) {
  KS_ASSIGN_OR_RETURN(const auto values, width_of(copy));
  values_ = static_cast<std::size_t>(values);
  // The new file was created with an identity of its own; that of the old file replaces it.
  KS_RETURN_IF_ERROR(database_.execute("begin immediate; delete from file_identity"));
  KS_RETURN_IF_ERROR(widen(database_, static_cast<int>(values)));
  for (const schema::TableText& table : schema::tables()) {
    recovery_.tables.push_back({std::string(table.name)});
    KS_RETURN_IF_ERROR(copy_table(copy, table));
  }
  KS_ASSIGN_OR_RETURN(counts_of("file_identity").stands,
                      run("insert or ignore into file_identity values (1, randomblob(16))"));
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

Status RecoveryWriter::leave_out(std::initializer_list<std::string_view> tables, const std::string& where) {
  for (const std::string_view table : tables) {
    KS_ASSIGN_OR_RETURN(const auto rows, run(fmt::format("delete from {} as o where {}", table, where)));
    counts_of(table).saved -= rows;
    recovery_.contradicting_rows += rows;
  }
  return Done{};
}

Status RecoveryWriter::leave_out_contradictions() {
  KS_RETURN_IF_ERROR(database_.execute(
      fmt::format("create temp table doubted (result integer primary key);"
                  "create temp table missing (sweep_id integer, job integer, job_host integer, "
                  "primary key (sweep_id, job, job_host)) without rowid;"
                  "insert or ignore into doubted select o.result from outcome o join attempt_row a on "
                  "a.result = o.result where {} and not o.reused",
                  kDisagree)));
  KS_RETURN_IF_ERROR(compare_samples());
  const std::string doubted = "result in (select result from doubted)";
  // A reused outcome is left out together with the attempt that it refers to.
  const std::string doubtful = fmt::format(
      "{} or (reused = 1 and exists (select 1 from attempt_row a where a.result = o.result and {}))",
      doubted, kDisagree);
  KS_RETURN_IF_ERROR(database_.execute(
      "insert or ignore into missing select sweep_id, job, job_host from outcome as o where " + doubtful));
  KS_RETURN_IF_ERROR(leave_out({"outcome"}, doubtful));
  return leave_out({"attempt_row", "sample", "conditions", "metric"}, doubted);
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
