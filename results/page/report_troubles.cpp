#include "results/page/report_troubles.hpp"

#include <fmt/format.h>

#include <map>

#include "results/answer/outputs/outputs.hpp"
#include "results/report/json.hpp"
#include "results/roofs/implausible.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

// The first result of each kind of failure, with the values of its point. A reason or the end of stderr may
// be long, so it is cut to fit a page.
constexpr const char* kFailures =
    R"(select status, substr(reason, 1, 4000) as reason, count(*) as jobs, min(result) as result, params,
  (select substr(t.content, -2000) from attempt_row a join text t on t.id = a.stderr
   where a.result = r.result) as stderr
from results r where sweep_id = {} and status <> 'ok'
group by status, reason order by jobs desc, result limit 100)";

// Doubts of one cause are one row, because their numbers differ from job to job.
constexpr const char* kGrades =
    R"(select r.grade, a.doubt_cause as cause, substr(t.content, 1, 4000) as reason, count(*) as jobs,
  min(r.result) as result
from results r join attempt_row a on a.result = r.result left join text t on t.id = a.grade_reasons
where r.sweep_id = {} and r.grade <> 'A'
group by r.grade, coalesce(a.doubt_cause, t.content) order by r.grade desc, jobs desc, result limit 100)";

constexpr const char* kHosts =
    R"(select name, cpu, architecture, os, os_kernel, microcode, governor, isa, caches, numa_layout,
  hypervisor, container, frequency_khz, turbo, huge_pages,
  address_randomisation, numa_balancing, swap, limits,
  mitigations, sockets, numa_nodes, cores, threads, memory_bytes, lower(hex(fingerprint)) as fingerprint,
  (select count(*) from outcome o where o.sweep_id = {0} and o.host_id = h.id) as jobs
from host h where id in (select host_id from outcome where sweep_id = {0}) order by id)";

constexpr const char* kSoftware =
    R"(select id, version, git, compiler, flags, pack, pack_version, pack_build, libraries, sources,
  (select count(*) from outcome o where o.sweep_id = {0} and o.software_id = s.id) as jobs
from software s where id in (select software_id from outcome where sweep_id = {0}) order by id limit 100)";

// Adds grades that are lowered only when an answer is computed, in rows as kGrades has them.
Status add_later_grades(Reader& reader, const StoredSweep& sweep, RowSet& grades) {
  KS_ASSIGN_OR_RETURN(const auto outputs, ComparedOutputs::of(reader, sweep));
  KS_ASSIGN_OR_RETURN(const auto implausible, AllImplausible::of(reader, sweep.id));
  const auto add = [&](const char* grade, const char* cause, const std::string& reason, std::uint64_t jobs,
                       std::uint64_t result) {
    grades.rows.push_back({Value(grade), Value(cause), Value(reason),
                           Value(static_cast<std::int64_t>(jobs)),
                           Value(static_cast<std::int64_t>(result))});
  };
  for (const OtherOutput& each : outputs.warned())
    add("B", "outputs differ", each.reason, each.results, each.result);
  std::map<std::string, std::vector<std::uint64_t>> of_reason;  // results
  for (const Implausible& each : implausible.all()) of_reason[each.reason].push_back(each.result);
  for (const auto& [reason, results] : of_reason)
    add("X", "not believed", reason, results.size(), results.front());
  return Done{};
}

}  // namespace

Result<ReportTroubles> report_troubles(Reader& reader, const StoredSweep& sweep) {
  ReportTroubles made;
  for (const auto& [sql, into] : {std::pair{kFailures, &made.failures}, std::pair{kGrades, &made.grades},
                                  std::pair{kHosts, &made.hosts}, std::pair{kSoftware, &made.software}}) {
    KS_ASSIGN_OR_RETURN(auto rows, reader.query(fmt::format(fmt::runtime(sql), sweep.id.value)));
    if (into == &made.grades) KS_RETURN_IF_ERROR(add_later_grades(reader, sweep, rows));
    *into = to_json(rows);
  }
  return made;
}

}  // namespace kernsweep
