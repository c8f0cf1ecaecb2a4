#include "results/read/job_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "shared/base/try.hpp"

namespace kernsweep {

Result<std::optional<JobTimes>> job_times(Reader& reader, const SweepRecord& sweep) {
  KS_ASSIGN_OR_RETURN(
      auto newest, reader.connection().prepare(
                       "select id, text = ?3 and (replacements = ?4 or "
                       "substr(replacements, 1, length(?4) + 11) = ?4 || 'order_seed ') as same from sweep "
                       "where name = ?1 and kernel = ?2 and exists (select 1 from attempt_row a where "
                       "a.sweep_id = sweep.id) "
                       "order by same desc, id desc limit 1"));
  newest.bind(1, sweep.name);
  newest.bind(2, sweep.kernel);
  newest.bind(3, sweep.text);
  newest.bind(4, sweep.replacements);
  const sqlite::Step found = newest.step();
  if (found == sqlite::Step::failed) return failure(newest.why());
  if (found == sqlite::Step::done) return std::nullopt;
  const std::int64_t id = newest.integer(0);
  JobTimes out{fmt::format("{}@{}", sweep.name, id), 0, 0, newest.integer(1) != 0};
  const std::string took =
      "coalesce(setup_s, 0) + coalesce(lease_wait_s, 0) + coalesce(run_s, 0) + coalesce(check_s, 0)";
  std::map<std::int64_t, double> busy_until;  // by host
  double busy_s = 0;
  KS_RETURN_IF_ERROR(reader.connection().each_row(
      {"host_id", "finished_unix_s", took, "final"},
      fmt::format("from attempt_row where sweep_id = {} and finished_unix_s is not null", id),
      [&](const sqlite::Row& row) {
        const double end = row.real(1), begin = end - row.real(2);
        double& until = busy_until.try_emplace(row.integer(0), begin).first->second;
        busy_s += std::max(0.0, end - std::max(begin, until));
        until = std::max(until, end);
        out.jobs += row.integer(3) != 0 ? 1 : 0;
      },
      "finished_unix_s - (" + took + ")"));
  if (out.jobs == 0) return std::nullopt;
  out.each_s = busy_s / static_cast<double>(out.jobs);
  return out;
}

}  // namespace kernsweep
