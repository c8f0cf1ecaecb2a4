// The view `verdict`: one row per point, cache state and kind of host. Included by schema_views.cpp only.
//
// The rules are those of shared/stats/contest.hpp, in SQL: the unit is the process, times are compared by
// their logarithms, `split` is split_of(). The view does not use what `best` learns from other points of
// the sweep: the interval is that of the point's own processes, by Student's t with n - 1 degrees of
// freedom, and wider if they are few.
//
// There is one pass over the jobs, which sorts them by point. Window functions over all jobs, with a sort
// for each partition, took more than three times as long; here they order the few times of one point, which
// are collected as a list, and only for a query that selects the median or the groups. A column that is
// named twice is computed twice, so an expensive one is named once. A query of one sweep reads no other:
// SQLite pushes `where sweep_id = n` down into one level of groups, not into two.
#pragma once

#include <string_view>

#include "results/sqlite/schema.hpp"

namespace kernsweep::schema {

// The bound that |t| of Student's distribution with n - 1 degrees of freedom exceeds with probability 1 %;
// from ten processes on by the expansion of Fisher and Cornish (1960), which is 0.01 % off there.
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

// The first line of the reason why the last job that does not count was left out, or is doubtful.
#define KS_REASON                                                                                \
  "(select substr(t.content, 1, instr(t.content || char(10), char(10)) - 1) from attempt_row a " \
  "join text t on t.id = coalesce(a.reason, a.grade_reasons) where a.result = v.left_out)"

// The median of the times of the processes that count.
#define KS_MEDIAN                                                                                     \
  "case v.processes when 1 then v.times ->> 0 when 2 then (v.times ->> 0) / 2 + (v.times ->> 1) / 2 " \
  "else (select avg(value) from (select value, row_number() over (order by value) as rank from "      \
  "json_each(v.times)) where rank in ((v.processes + 1) / 2, (v.processes + 2) / 2)) end"

// Both groups of processes as text; NULL: there is one group. No pair of n numbers is further apart than
// sqrt(2 (n - 1)) standard deviations; below ln(1.1)^2 = 0.00908 there is no search for groups.
#define KS_GROUPS \
  "case when 2 * (v.processes - 1) * v.spread * v.spread >= 0.00908 then (select case when fast > 0 " \
  "then " \
  KS_DURATION("fast_s") " || ' in ' || fast || ', ' || " KS_DURATION("slow_s")                         \
  " || ' in ' || (n - fast) || ' of ' || n || ' processes' end from (select max(fast) as fast, "      \
  "max(n) as n, avg(value) filter (where rank in ((fast + 1) / 2, (fast + 2) / 2)) as fast_s, "        \
  "avg(value) filter (where rank - fast in ((n - fast + 1) / 2, (n - fast + 2) / 2)) as slow_s "       \
  "from (select value, rank, n, max(case when gap >= ln(1.1) and gap >= 2 * (reach - gap) and (n < 4 " \
  "or rank between 3 and n - 1) then rank - 1 else 0 end) over () as fast from (select value, rank, "  \
  "gap, count(*) over () as n, sum(gap) over () as reach from (select value, row_number() over w as "  \
  "rank, ln(value / lag(value) over w) as gap from json_each(v.times) window w as (order by value "    \
  "rows between unbounded preceding and current row)))))) end"

// The bound of an interval, extended to include the median. With fewer than ten numbers this is not needed:
// the bound is more than one standard deviation away.
#define KS_BOUND(choice, bound) \
  "case when v.processes < 10 then " bound " else " choice "(" KS_MEDIAN ", " bound ") end"

// A job as a number that sorts by job, then by job_host, which may be below 0.
#define KS_JOB_KEY "(job << 20) + job_host + 524288"

constexpr std::string_view kVerdictRows =
    R"((select *,
)"
    "  (" KS_T99("processes") ") * spread / sqrt(processes) as half\n"
    R"(from (select *,
  case when processes > 1
    then sqrt(max(1e-8, (squares - processes * centre * centre) / (processes - 1))) end as spread
from (select sweep_id, point, cache, kind, jobs, best, left_out,
  first >> 20 as job, (first & 1048575) - 524288 as job_host,
  (select name from host where id = host_id) as host,
  case best when 2 then n2 when 1 then n1 else 0 end as processes,
  '[' || case best when 2 then times2 when 1 then times1 end || ']' as times,
  case best when 2 then centre2 when 1 then centre1 end as centre,
  case best when 2 then squares2 else squares1 end as squares,
  case best when 2 then worst2 when 1 then 'C' end as worst,
  case best when 2 then least2 when 1 then 'C' end as least,
  case best when 2 then software_from2 when 1 then software_from1 end as software_from,
  case best when 2 then software_to2 when 1 then software_to1 end as software_to
)"
    // For the jobs of each point and class: 2 counts (A, B, or C for a cause of the machine), 1 counts if
    // there is nothing better, 0 has no time. If one job of a point is wrong, none counts.
    R"(from (select sweep_id, point, cache, kind, count(*) as jobs, min(host_id) as host_id,
)"
    "  min(" KS_JOB_KEY ") as first,\n"
    R"(  case when max(wrong) then 0 else max(class) end as best, sum(class = 2) as n2, sum(class = 1) as n1,
  coalesce(max(case when wrong then result end),
    max(case when class < 2 or job_grade = 'C' then result end)) as left_out,
  max(case when class = 2 then job_grade end) as worst2,
  min(case when class = 2 then coalesce(job_grade, 'A') end) as least2,
  group_concat(printf('%!.17g', time_s)) filter (where class = 2) as times2,
  group_concat(printf('%!.17g', time_s)) filter (where class = 1) as times1,
  avg(case when class = 2 then log_s end) as centre2,
  avg(case when class = 1 then log_s end) as centre1,
  sum(case when class = 2 then log_s * log_s end) as squares2,
  sum(case when class = 1 then log_s * log_s end) as squares1,
  min(case when class = 2 then software end) as software_from2,
  min(case when class = 1 then software end) as software_from1,
  max(case when class = 2 then software end) as software_to2,
  max(case when class = 1 then software end) as software_to1
from (select o.sweep_id, o.point, o.cache, o.job, o.job_host, o.result, o.grade as job_grade,
  o.median_s as time_s, ln(o.median_s) as log_s, o.software_id as software, o.host_id,
  h.fingerprint as kind, o.status = 'wrong_result' or (o.attempt > 1 and exists (select 1 from
    attempt_row a where a.final = 0 and a.sweep_id = o.sweep_id and a.job = o.job and
    a.job_host = o.job_host and a.status = 'wrong_result')) as wrong,
  case when o.status <> 'ok' or coalesce(o.median_s, 0) <= 0 then 0
    when coalesce(o.grade, 'A') <= 'B' then 2
    when o.grade = 'C' then 1 + exists (select 1 from attempt_row a where a.result = o.result and
      a.doubt_cause is not null) else 0 end as class
from outcome o left join host h on h.id = o.host_id)
group by sweep_id, point, cache, kind)))) v)";

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
     "Processes that count: those of grade A or B, or C for a cause of the machine; where there are none, "
     "all of grade C.",
     "v.processes"},
    {"median_s", "real", "s", "Median of the processes' medians; NULL: none was measured.", KS_MEDIAN},
    {"low_s", "real", "s",
     "Lower bound of the centre of the processes, with 99 % confidence, from these processes alone; NULL: "
     "fewer than two.",
     KS_BOUND("min", "exp(max(-700, v.centre - v.half))")},
    {"high_s", "real", "s", "Upper bound, likewise.", KS_BOUND("max", "exp(min(700, v.centre + v.half))")},
    {"spread", "real", "",
     "Standard deviation of the logarithms of the processes' medians: 0.05 stands for about 5 %; NULL: "
     "fewer than two.",
     "v.spread"},
    {"grade", "text", "", "The worst grade of the processes that count.", "v.worst"},
    {"verdict", "text", "",
     "measured; split: the processes fall into two groups at least 10 % apart; doubtful: all were graded "
     "C; failed: nothing was measured, or the output of one of these jobs is wrong.",
     "case when v.best = 0 then 'failed' when v.least = 'C' then 'doubtful' when (" KS_GROUPS
     ") is null then 'measured' else 'split' end"},
    {"reason", "text", "",
     "Where the processes fall into two groups: both, such as `5.5 ms in 2, 10.7 ms in 2 of 4 processes`. "
     "Otherwise, and of doubtful points after that: why jobs do not count, or are doubtful, as the last of "
     "these shows. NULL: all count.",
     "coalesce(" KS_GROUPS " || case when v.least = 'C' then coalesce('; ' || " KS_REASON
     ", '') else '' end, " KS_REASON ")"},
};

#undef KS_REASON
#undef KS_MEDIAN
#undef KS_GROUPS
#undef KS_BOUND
#undef KS_JOB_KEY
#undef KS_DURATION
#undef KS_T99

}  // namespace kernsweep::schema
