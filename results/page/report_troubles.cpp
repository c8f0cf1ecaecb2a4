#include "results/page/report_troubles.hpp"

#include <fmt/format.h>

#include "results/report/json.hpp"

namespace kernsweep {

namespace {

// Of each way to fail the first result, with the values of its point. A reason or the end of stderr may be
// long; a page has room for so many characters.
constexpr const char* kFailures =
    R"(select status, substr(reason, 1, 4000) as reason, count(*) as jobs, min(result) as result, params,
  (select substr(t.content, -2000) from attempt_row a join text t on t.id = a.stderr
   where a.result = r.result) as stderr
from results r where sweep_id = {} and status <> 'ok'
group by status, reason order by jobs desc, result limit 100)";

// Doubts of one cause are one row: their numbers differ from job to job.
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

}  // namespace

Result<ReportTroubles> report_troubles(Reader& reader, SweepId sweep) {
  ReportTroubles made;
  const auto ask = [&](const char* sql, std::string& into) -> Status {
    const auto rows = reader.query(fmt::format(fmt::runtime(sql), sweep.value));
    if (!rows) return tl::unexpected<Error>(rows.error());
    into = to_json(*rows);
    return Done{};
  };
  for (const auto& [sql, into] : {std::pair{kFailures, &made.failures}, std::pair{kGrades, &made.grades},
                                  std::pair{kHosts, &made.hosts}, std::pair{kSoftware, &made.software}})
    if (const Status asked = ask(sql, *into); !asked) return tl::unexpected<Error>(asked.error());
  return made;
}

}  // namespace kernsweep
