// The view `verdict`: one row per point, state of the caches and kind of host. Included by
// schema_views.cpp only.
//
// The rules are those of shared/stats/contest.hpp, in SQL: the unit is the process, times are compared by
// their logarithms, `split` is split_of(). What `best` learns from other points of the sweep is not in
// here: the interval is that of the point's own processes, by Student's t with n - 1 degrees of freedom,
// and wider where they are few.
//
// A query of one sweep must not read the others. SQLite hands `where sweep_id = n` down into a subquery
// only if its windows have sweep_id in their partition, and if all windows of one `select` have the same
// partition. So there is one level for each.
#pragma once

#include <string_view>

#include "results/sqlite/schema.hpp"

namespace kernsweep::schema {

// The bound of Student's t with n - 1 degrees of freedom that is exceeded, either side, with probability
// 1 %; from ten processes on by the expansion of Fisher and Cornish (1960), which is 0.01 % off there.
#define KS_T99(n)                                                                                       \
  "case " n                                                                                             \
  " when 2 then 63.6567 when 3 then 9.92484 when 4 then 5.84091 when 5 then 4.60409 when 6 "            \
  "then 4.03214 when 7 then 3.70743 when 8 then 3.49948 when 9 then 3.35539 else 2.575829 + (4.916548 " \
  "+ (8.834762 + (12.1443 + 12.06 / (" n " - 1)) / (" n " - 1)) / (" n " - 1)) / (" n " - 1) end"

// "5.5 ms"
#define KS_DURATION(s)                                                                             \
  "case when " s " < 0.9995e-6 then printf('%.3g ns', " s " * 1e9) when " s                        \
  " < 0.9995e-3 then printf('%.3g µs', " s " * 1e6) when " s " < 0.9995 then printf('%.3g ms', " s \
  " * 1e3) when " s " < 999.5 then printf('%.3g s', " s ") else printf('%.0f s', " s ") end"

// The first line of why the last job that does not count was left out, or is doubtful.
#define KS_REASON                                                                                \
  "(select substr(t.content, 1, instr(t.content || char(10), char(10)) - 1) from attempt_row a " \
  "join text t on t.id = coalesce(a.reason, a.grade_reasons) where a.result = v.left_out)"

constexpr std::string_view kVerdictRows =
    // Of each point: the interval and the groups, one row.
    "(select *, (" KS_T99("processes") ") * spread / sqrt(processes) as half,\n"
    R"(  case when best = 0 then 'failed' when best = 1 then 'doubtful' when fast > 0 then 'split'
    else 'measured' end as verdict
from (select *, case when processes > 1 then sqrt(max(1e-8, squares / (processes - 1))) end as spread
from (select *,
  sum(case when counts then (log_s - centre) * (log_s - centre) end) over p as squares,
  avg(case when counts and rank in ((size + 1) / 2, (size + 2) / 2) then time_s end) over p as middle_s,
  avg(case when counts and rank in ((fast + 1) / 2, (fast + 2) / 2) then time_s end) over p as fast_s,
  avg(case when counts and rank - fast in ((size - fast + 1) / 2, (size - fast + 2) / 2) then time_s end)
    over p as slow_s
)"
    // Of each point: what its processes sum up to, and where they fall apart.
    R"(from (select *, count(*) over p as jobs, sum(counts) over p as processes,
  avg(case when counts then log_s end) over p as centre,
  max(case when counts then job_grade end) over p as worst,
  min(case when counts then software end) over p as software_from,
  max(case when counts then software end) over p as software_to,
  max(case when class < 2 then result end) over p as left_out,
  coalesce(max(case when counts and gap >= ln(1.1) and gap >= 2 * (reach - gap)
    and (size < 4 or rank between 3 and size - 1) then rank - 1 end) over p, 0) as fast,
  row_number() over (partition by sweep_id, point, cache, kind order by job, job_host) as first
from (select *, class = best and class > 0 as counts
)"
    // Of each class of each point: its processes by time.
    R"(from (select *, count(*) over g as size, max(log_s) over g - min(log_s) over g as reach,
  row_number() over (g order by time_s) as rank, log_s - lag(log_s) over (g order by time_s) as gap
from (select *, max(class) over (partition by sweep_id, point, cache, kind) as best
)"
    // Of each job: 2 counts, 1 counts where nothing better is there, 0 has no time.
    R"(from (select o.sweep_id, o.point, o.cache, o.job, o.job_host, o.result, o.grade as job_grade,
  o.median_s as time_s, ln(o.median_s) as log_s, o.software_id as software,
  h.fingerprint as kind, h.name as host,
  case when o.status <> 'ok' or coalesce(o.median_s, 0) <= 0 then 0
    when coalesce(o.grade, 'A') <= 'B' then 2 when o.grade = 'C' then 1 else 0 end as class
from outcome o left join host h on h.id = o.host_id))
window g as (partition by sweep_id, point, cache, kind, class)))
window p as (partition by sweep_id, point, cache, kind))
window p as (partition by sweep_id, point, cache, kind))) where first = 1) v)";

constexpr ColumnText kVerdict[] = {
    {"sweep", "text", "", "Name of the sweep.", "(select name from sweep where id = v.sweep_id)"},
    {"sweep_id", "integer", "", "Number of the sweep.", "v.sweep_id"},
    {"point", "integer", "", "Position of the point in the sweep, from 0.", "v.point"},
    {"cache", "text", "", "hot or cold.", "v.cache"},
    {"host", "text", "", "A host of this kind.", "v.host"},
    {"host_kind", "text", "", "Fingerprint of the hosts that measured, in hexadecimal digits.",
     "lower(hex(v.kind))"},
    {"software_id", "integer", "",
     "The software that measured; NULL: processes that count differ in it (`best` does not mix these).",
     "case when v.software_from = v.software_to then v.software_from end"},
    {"jobs", "integer", "", "Jobs that have their outcome.", "v.jobs"},
    {"processes", "integer", "",
     "Processes that count: those of grade A or B; where there are none, those of grade C.", "v.processes"},
    {"median_s", "real", "s", "Median of the processes' medians; NULL: none was measured.", "v.middle_s"},
    {"low_s", "real", "s",
     "Lower bound of the centre of the processes, with 99 % confidence, from these processes alone; NULL: "
     "fewer than two.",
     "min(v.middle_s, exp(max(-700, v.centre - v.half)))"},
    {"high_s", "real", "s", "Upper bound, likewise.", "max(v.middle_s, exp(min(700, v.centre + v.half)))"},
    {"spread", "real", "",
     "Standard deviation of the logarithms of the processes' medians: 0.05 stands for about 5 %; NULL: "
     "fewer than two.",
     "v.spread"},
    {"grade", "text", "", "The worst grade of the processes that count.", "v.worst"},
    {"verdict", "text", "",
     "measured; split: the processes fall into two groups at least 10 % apart; doubtful: all were graded "
     "C; "
     "failed: nothing was measured.",
     "v.verdict"},
    {"reason", "text", "",
     "Where the processes fall into two groups: both, such as `5.5 ms in 2, 10.7 ms in 2 of 4 processes`. "
     "Otherwise, and of doubtful points after that: why jobs do not count, or are doubtful, as the last of "
     "these tells. NULL: all count.",
     "case when v.fast > 0 then " KS_DURATION("v.fast_s") " || ' in ' || v.fast || ', ' || "  //
     KS_DURATION(
         "v.slow_s") " || ' in ' || (v.processes - v.fast) || ' of ' || v.processes || ' processes' || "
                     "case when v.verdict = 'doubtful' then coalesce('; ' || " KS_REASON
                     ", '') else '' end else " KS_REASON " end"},
};

#undef KS_REASON
#undef KS_DURATION
#undef KS_T99

}  // namespace kernsweep::schema
