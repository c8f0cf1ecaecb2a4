#include "results/answer/best/chosen_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "results/roofs/implausible.hpp"
#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {

std::vector<SweepColumn> with_variant(std::vector<SweepColumn> columns) {
  if (std::ranges::find(columns, "variant", &SweepColumn::stored) == columns.end())
    columns.push_back({"variant", "variant", "variant"});
  return columns;
}

std::vector<SweepColumn> variant_first(std::vector<SweepColumn> columns) {
  columns = with_variant(std::move(columns));
  const auto variant = std::ranges::find(columns, "variant", &SweepColumn::stored);
  std::rotate(columns.begin(), variant, variant + 1);
  return columns;
}

Result<std::vector<SweepColumn>> columns_named(const std::vector<SweepColumn>& columns,
                                               const std::vector<std::string>& wanted,
                                               const std::string& sweep) {
  std::vector<std::string> names;
  for (const SweepColumn& column : columns) names.push_back(column.name);
  std::vector<SweepColumn> found;
  for (const std::string& name : wanted) {
    const auto at = std::ranges::find(names, name);
    if (at == names.end())
      return failure(
          fmt::format("sweep '{}' has no column '{}'{}", sweep, name, did_you_mean(name, names)));
    found.push_back(columns[static_cast<std::size_t>(at - names.begin())]);
  }
  return found;
}

std::string number_in_sql(const SweepColumn& column, const std::string& value) {
  if (!is_number_word(column.stands_for)) return value;
  return fmt::format("cast({} as {})", value,
                     column.stands_for == StandsFor::real_number ? "real" : "integer");
}

std::string stored_name(const SweepColumn& column) {
  return !is_number_word(column.stands_for) ? column.view_name : "stored." + column.stored;
}

std::string rows_where(SweepId sweep, const std::vector<SweepColumn>& columns, const std::string& condition,
                       const std::string& where) {
  std::string inner =
      "select sweep_id, point, job, job_host, attempt, result, status, grade, median_s, gflops, gbps, "
      "variant, cache, process, host_id, (select name from host where id = host_id) as host, "
      "software_id as \"software.id\", output_hash, quick, reused, key as \"job.key\"";
  for (const SweepColumn& column : columns) {
    if (column.stored == "variant") continue;
    inner +=
        fmt::format(", {} as {}", number_in_sql(column, column.stored), schema::quoted(column.view_name));
    if (is_number_word(column.stands_for))
      inner += fmt::format(", {} as {}", column.stored, schema::quoted(stored_name(column)));
  }
  inner += fmt::format(" from outcome where sweep_id = {}", sweep.value);
  if (!condition.empty()) inner += " and " + condition;
  std::string text = "select * from (" + inner + ")";
  if (!where.empty()) text += " where (" + where + "\n)";  // behind a comment at its end
  return text;
}

Result<SweepRows> read_chosen_rows(Reader& reader, const StoredSweep& sweep,
                                   const std::vector<SweepColumn>& known, std::vector<SweepColumn> columns,
                                   const std::string& extra, const std::string& where) {
  // Asked first: a mistake in it is said before millions of rows are read.
  std::set<std::pair<std::uint64_t, std::uint64_t>> chosen;
  std::uint64_t read = 0, not_ok = 0;
  if (!where.empty()) {
    KS_RETURN_IF_ERROR(reader.connection().each_row(
        {"w.point", "w.result", "w.status"}, "from (" + rows_where(sweep.id, known, "", where) + ") w",
        [&](const sqlite::Row& row) {
          ++read;
          if (row.text(2) != "ok") ++not_ok;
          chosen.emplace(static_cast<std::uint64_t>(row.integer(0)),
                         static_cast<std::uint64_t>(row.integer(1)));
        }));
    if (read == 0)
      return failure(fmt::format("--where '{}' holds for no job of sweep '{}' that has its outcome", where,
                                 sweep.record.name));
  }
  auto rows = read_graded_rows(reader, sweep, std::move(columns), extra);
  if (!rows || where.empty()) return rows;
  const auto left_out = [&](const SweepRows::Job& job) {
    return !chosen.contains({rows->positions[job.point], job.result});
  };
  std::erase_if(rows->jobs, left_out);
  std::erase_if(rows->implausible, [&](const Implausible& each) {
    return std::ranges::none_of(rows->jobs,
                                [&](const SweepRows::Job& job) { return job.result == each.result; });
  });
  rows->read = read;
  rows->not_ok = not_ok;
  return rows;
}

Result<std::vector<std::string>> host_of_spots(Reader& reader, const SweepRows& rows) {
  KS_ASSIGN_OR_RETURN(const auto known,
                      reader.query("select id, name, substr(hex(fingerprint), 1, 6) from host"));
  struct Host {
    std::string name, digits;
  };
  std::vector<Host> hosts(std::size_t{rows.spots} + 1);
  for (const SweepRows::Place& place : rows.places)
    for (const auto& row : known.rows)
      if (row[0] == Value(place.host_id)) hosts[place.spot] = {row[1].to_text(), row[2].to_text()};
  std::vector<std::string> names;
  for (const Host& host : hosts) {
    const bool shared = std::ranges::any_of(hosts, [&](const Host& other) {
      return other.name == host.name && other.digits != host.digits && !host.name.empty();
    });
    names.push_back(shared ? host.name + "#" + host.digits : host.name);
  }
  return names;
}

}  // namespace kernsweep
