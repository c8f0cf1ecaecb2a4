// Placeholder rows of a recovery: they replace lost rows that other rows refer to. The ids of these must
// stay in use; otherwise the next writer would assign them to new rows, and old rows would refer to those.
#include <fmt/format.h>

#include "results/recovery/recovery_writer.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr std::string_view kLost = "(lost: it was on a damaged page)";

// The SQL value of a placeholder's column: null where the column allows it.
std::string made_up(const schema::ColumnText& column) {
  if (column.name == "name" || column.name == "content") return schema::literal(kLost);
  if (column.name == "state") return "'stopped'";
  if (column.type.find("not null") == std::string_view::npos) return "null";
  if (column.type.starts_with("text")) return "''";
  if (column.type.starts_with("blob")) return "randomblob(16)";  // differs from every identity
  return "0";
}

}  // namespace

Status RecoveryWriter::stand_in_for_attempts() {
  KS_ASSIGN_OR_RETURN(
      const auto lost,
      run("insert into attempt_row (result, sweep_id, job, job_host, attempt, final, status, host_id, "
          "software_id, warmup_runs, calls_per_sample, samples, median_s, grade_reasons) select result, "
          "sweep_id, job, job_host, max(attempt, 1), 1, status, host_id, software_id, 0, 1, 0, median_s, "
          "(select coalesce(max(id), 0) + 1 from text) from (select *, min(reused) from outcome o where "
          "not exists (select 1 from attempt_row a where a.result = o.result) group by result)"));
  recovery_.without_details = lost;
  counts_of("attempt_row").stands = lost;
  // Without its attempt and any outcome, a result number may be used again: rows with it must not stay.
  return leave_out({"sample", "conditions", "metric"}, "result not in (select result from attempt_row)");
}

Status RecoveryWriter::stand_in(const std::string& name, const std::string& ids) {
  for (const schema::TableText& table : schema::tables()) {
    if (table.name != name) continue;
    std::string names(table.columns[0].name), values = "n";
    for (const schema::ColumnText& column : table.columns.subspan(1)) {
      names += ", " + schema::quoted(column.name);
      values += ", " + made_up(column);
    }
    KS_ASSIGN_OR_RETURN(
        const auto rows,
        run(fmt::format("insert into {0} ({3}) select {1} from (select sweep_id as n from ({2}) where "
                        "sweep_id > 0 and sweep_id not in (select id from {0}))",
                        name, values, fmt::format("select null as sweep_id union {}", ids), names)));
    counts_of(name).stands = rows;
  }
  return Done{};
}

// A column of values whose name is lost is named after its storage: "lost.a3".
Status RecoveryWriter::stand_in_for_columns() {
  for (std::size_t n = 1; n <= values_; ++n) {
    KS_ASSIGN_OR_RETURN(
        const auto rows,
        run(fmt::format(
            "insert into sweep_column (sweep_id, position, name, view_name, storage, derived, has_null) "
            "select s.id, (select coalesce(max(position) + 1, 0) from sweep_column c "
            "where c.sweep_id = s.id), 'lost.a{0}', 'lost.a{0}', {0}, 0, 1 from sweep s where not exists "
            "(select 1 from sweep_column c where c.sweep_id = s.id and c.storage = {0}) and exists "
            "(select 1 from outcome o where o.sweep_id = s.id and o.a{0} is not null)",
            n)));
    counts_of("sweep_column").stands += rows;
  }
  return Done{};
}

Status RecoveryWriter::make_all_views() {
  KS_ASSIGN_OR_RETURN(const auto widest, database_.integer("select max(storage) from sweep_column"));
  KS_RETURN_IF_ERROR(widen(database_, static_cast<int>(widest)));
  return make_views(database_);
}

}  // namespace kernsweep
