#include "results/report/google_benchmark.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "results/read/software_classes.hpp"
#include "results/report/json_object.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// Columns of the query, before those of the point.
struct BenchmarkColumn {
  enum : std::size_t {
    kStatus,
    kMedian,
    kGflops,
    kGbps,
    kGrade,
    kResult,
    kProcess,
    kCalls,
    kReason,
    kCache,
    kVariant,
    kHost,
    kValues
  };
};

// By the id of a host: the name that distinguishes its kind from the others in this sweep. If there is one
// kind, it has no name.
using KindNames = std::map<std::int64_t, std::string>;

// "conv2d/variant=onednn/n=64/cold/host=far#3FA2B1". No document restricts the characters of a name, so
// blanks are kept.
std::string benchmark_name(const StoredSweep& sweep, const std::vector<SweepColumn>& columns,
                           const KindNames& kinds, std::span<const Value> row) {
  std::string name = sweep.record.kernel.empty() ? sweep.record.name : sweep.record.kernel;
  const bool is_axis = std::ranges::find(columns, "variant", &SweepColumn::stored) != columns.end();
  if (!is_axis && !row[BenchmarkColumn::kVariant].is_null())
    name += "/variant=" + row[BenchmarkColumn::kVariant].to_text();
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (const Value& value = row[BenchmarkColumn::kValues + c]; !value.is_null())
      name += "/" + columns[c].name + "=" + value.to_text();
  if (row[BenchmarkColumn::kCache] == Value("cold")) name += "/cold";
  const Value& host = row[BenchmarkColumn::kHost];
  const auto kind = host.integer() ? kinds.find(*host.integer()) : kinds.end();
  if (kind != kinds.end()) name += "/host=" + kind->second;
  return name;
}

std::string benchmark_of(const StoredSweep& sweep, const std::vector<SweepColumn>& columns,
                         const KindNames& kinds, std::span<const Value> row) {
  const std::string name = benchmark_name(sweep, columns, kinds, row);
  JsonObject object;
  object.add("name", name).add("run_name", name).add("run_type", "iteration");
  object.count("repetitions", sweep.record.processes);
  object.add("repetition_index", row[BenchmarkColumn::kProcess]);
  const auto threads = std::ranges::find(columns, "threads", &SweepColumn::name);
  const std::size_t at = BenchmarkColumn::kValues + static_cast<std::size_t>(threads - columns.begin());
  object.add("threads", threads == columns.end() || row[at].is_null() ? Value(1) : row[at]);
  const auto median = row[BenchmarkColumn::kMedian].number();
  if (row[BenchmarkColumn::kStatus] != Value("ok") || !median) {
    const Value& reason = row[BenchmarkColumn::kReason];
    object.add("error_occurred", true);
    object.add("error_message", reason.is_null() ? row[BenchmarkColumn::kStatus] : reason);
    return object.text();
  }
  const double ns = *median * 1e9;
  object.add("iterations", row[BenchmarkColumn::kCalls]).add("real_time", ns).add("cpu_time", ns);
  object.add("time_unit", "ns");
  object.add("label",
             fmt::format("grade {}, result {}",
                         row[BenchmarkColumn::kGrade].is_null() ? "not given"
                                                                : row[BenchmarkColumn::kGrade].to_text(),
                         row[BenchmarkColumn::kResult].to_text()));
  for (const auto& [counter, column] :
       {std::pair{"gflops", BenchmarkColumn::kGflops}, {"gbps", BenchmarkColumn::kGbps}})
    if (row[column].number()) object.add(counter, row[column]);
  return object.text();
}

// The hosts of the sweep: id, name, threads, in the order of their ids.
Result<RowSet> hosts_of(Reader& reader, const StoredSweep& sweep) {
  return reader.query(
      fmt::format("select h.id, h.name, h.threads from host h where h.id in (select host_id "
                  "from outcome where sweep_id = {}) order by h.id",
                  sweep.id.value));
}

// The names of the kinds of these hosts. Error: the database cannot be read.
Result<KindNames> kinds_of(Reader& reader, const RowSet& hosts) {
  auto names = host_kind_names(reader);
  if (!names) return names;
  std::set<std::string> met;
  for (const auto& row : hosts.rows)
    if (row[0].integer()) met.insert((*names)[*row[0].integer()]);
  if (met.size() < 2) names->clear();
  return names;
}

// There is only one context; for a sweep over several hosts it names all of them.
std::string benchmark_context(const StoredSweep& sweep, const RowSet& hosts) {
  std::string names;
  Value threads(0);
  for (const auto& row : hosts.rows) {
    names += (names.empty() ? "" : ", ") + row[1].to_text();
    if (names.size() == row[1].to_text().size()) threads = row[2];
  }
  JsonObject context;
  context.add("date", text_of_moment(sweep.record.started_unix_s));
  context.add("host_name", names).add("executable", "kernsweep").add("num_cpus", threads);
  context.add("cpu_scaling_enabled", false).add_raw("caches", "[]").add("library_build_type", "release");
  return context.add("kernsweep_sweep", fmt::format("{}@{}", sweep.record.name, sweep.id.value)).text();
}

}  // namespace

Status export_google_benchmark(Reader& reader, const std::string& which, const Sink& sink) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(which));
  KS_ASSIGN_OR_RETURN(const auto columns, reader.axis_columns(sweep.id));
  KS_ASSIGN_OR_RETURN(const auto hosts, hosts_of(reader, sweep));
  KS_ASSIGN_OR_RETURN(const auto kinds, kinds_of(reader, hosts));
  std::string wanted;
  for (const SweepColumn& column : columns) wanted += ", o." + column.stored;
  Status written = sink("{\n\"context\": " + benchmark_context(sweep, hosts) + ",\n\"benchmarks\": [");
  bool some = false;
  if (!written) return written;
  const Status asked = reader.query(
      fmt::format(
          "select o.status, o.median_s, o.gflops, o.gbps, o.grade, o.result, o.process, a.samples * "
          "a.calls_per_sample, (select content from text where id = a.reason), o.cache, o.variant, "
          "o.host_id{} "
          "from outcome o left join attempt_row a on a.result = o.result where o.sweep_id = {} order "
          "by o.point, o.cache, o.process",
          wanted, sweep.id.value),
      [](const std::vector<std::string>&) {},
      [&](std::span<const Value> row) {
        written =
            sink((std::exchange(some, true) ? ",\n" : "\n") + benchmark_of(sweep, columns, kinds, row));
        return static_cast<bool>(written);
      });
  if (!written) return written;
  return asked ? sink("\n]\n}\n") : asked;
}

}  // namespace kernsweep
