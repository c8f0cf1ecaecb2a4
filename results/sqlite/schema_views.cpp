// The views over all sweeps: the stable interface for users' queries.
#include <array>

#include "results/sqlite/schema.hpp"
#include "results/sqlite/schema_verdict.hpp"

namespace kernsweep::schema {

namespace {

constexpr ColumnText kResults[] = {
    {"sweep", "text", "", "Name of the sweep.", "(select name from sweep where id = o.sweep_id)"},
    {"sweep_id", "integer", "", "Number of the sweep.", "o.sweep_id"},
    {"point", "integer", "", "Position of the point in the sweep, from 0.", "o.point"},
    {"job", "integer", "", "Number of the job within the sweep, from 0.", "o.job"},
    {"attempt", "integer", "", "How many attempts it took; 0: reused from an earlier job.", "o.attempt"},
    {"result", "integer", "", "Number of the attempt that gave the outcome; what `kernsweep show` takes.",
     "o.result"},
    {"kernel", "text", "", "Kernel family, command line or Python reference.",
     "(select kernel from sweep where id = o.sweep_id)"},
    {"variant", "text", "", "The variant that computed.", "o.variant"},
    {"cache", "text", "", "hot or cold: the state of the caches before a timed call.", "o.cache"},
    {"process", "integer", "", "Ordinal of the independent process, from 0.", "o.process"},
    {"host", "text", "", "Name of the host that measured.", "(select name from host where id = o.host_id)"},
    {"host_id", "integer", "", "Number of the host that measured.", "o.host_id"},
    {"status", "text", "", "ok, or how the last attempt failed.", "o.status"},
    {"grade", "text", "",
     "A clean, B with warnings, C doubtful, X wrong; NULL: not graded. As it was stored; an answer may "
     "lower it for what other jobs show.",
     "o.grade"},
    {"median_s", "real", "s", "Median time of one call.", "o.median_s"},
    {"gflops", "real", "GFLOP/s", "1e9 operations per second, from the median.", "o.gflops"},
    {"gbps", "real", "GB/s", "1e9 bytes of compulsory traffic per second, from the median.", "o.gbps"},
    {"output_hash", "text", "", "Hash of the output, in hexadecimal digits.", "o.output_hash"},
    {"quick", "integer", "", "1: measured with --quick.", "o.quick"},
    {"reused", "integer", "", "1: measured earlier, by another job with the same key.", "o.reused"},
    {"reason", "text", "", "Why it failed, or why its grade is not A, one per line; NULL: neither.",
     "(select t.content from attempt_row a join text t on t.id = coalesce(a.reason, a.grade_reasons) where "
     "a.result = o.result)"},
    {"reused_from", "text", "",
     "The sweep that measured `result`, such as a@7; NULL: this one. Reused is what has the same "
     "parameters, rules and seed, the same code, libraries and input files, and the same kind of host.",
     "case when o.reused then (select s.name || '@' || s.id from attempt_row a join sweep s on s.id = "
     "a.sweep_id where a.result = o.result) end"},
};

constexpr ColumnText kPoint[] = {
    {"sweep_id", "integer", "", "The sweep.", "o.sweep_id"},
    {"point", "integer", "", "Position in the sweep, from 0.", "o.point"},
    {"jobs", "integer", "", "Jobs of the point that have their outcome.", "count(*)"},
};

constexpr ColumnText kJob[] = {
    {"sweep_id", "integer", "", "The sweep."},
    {"job", "integer", "", "Number within the sweep, from 0."},
    {"job_host", "integer", "",
     "0; with `hosts: each` the number of the host that the job is for; with `hosts: any` -n, when its "
     "point was restarted n times on another kind of host."},
    {"point", "integer", "", "Its point."},
    {"cache", "text", "", "hot or cold."},
    {"process", "integer", "", "Ordinal of the independent process, from 0."},
    {"key", "text", "", "Hash over what is measured, in hexadecimal digits.", "lower(hex(key))"},
    {"status", "text", "", "ok, or how the last attempt failed."},
    {"attempts", "integer", "", "How many attempts it took; 0: reused.", "attempt"},
    {"result", "integer", "", "Number of the attempt that gave the outcome."},
};

#define KS_TEXT_OF(column) "(select content from text where id = a." column ")"
constexpr ColumnText kAttempt[] = {
    {"result", "integer", "", "Number of the attempt; what `kernsweep show` takes."},
    {"sweep_id", "integer", "", "The sweep."},
    {"job", "integer", "", "Number of the job within the sweep."},
    {"job_host", "integer", "",
     "0; with `hosts: each` the number of the host that the job is for; with `hosts: any` -n, when its "
     "point was restarted n times on another kind of host."},
    {"attempt", "integer", "", "Number of the attempt within the job, from 1."},
    {"final", "integer", "", "1: it gave the job its outcome; 0: the job was tried again."},
    {"host_id", "integer", "", "The host that tried."},
    {"software_id", "integer", "", "The software that tried."},
    {"status", "text", "", "ok, or how it failed."},
    {"reason", "text", "", "Why it failed; NULL when it did not.", KS_TEXT_OF("reason")},
    {"stderr", "text", "", "End of what the process wrote to stderr.", KS_TEXT_OF("stderr")},
    {"sent_unix_s", "real", "s",
     "When the coordinator sent it: seconds since 1970-01-01 UTC. NULL: never sent, or not known."},
    {"finished_unix_s", "real", "s", "When it ended: seconds since 1970-01-01 UTC."},
    {"queue_s", "real", "s", "From being sent to being started."},
    {"setup_s", "real", "s", "Preparing and verifying."},
    {"lease_wait_s", "real", "s", "From being prepared to having the host, or a part of it, alone."},
    {"run_s", "real", "s", "Warming up and sampling."},
    {"order_index", "integer", "",
     "Position in which the coordinator handed the attempt out, from 1; it restarts with each run of the "
     "coordinator."},
    {"session", "integer", "", "Number of the worker's session that tried it; NULL: not known."},
    {"verified_by", "text", "",
     "What the output was compared with, such as `variant naive`, `command ./reference -n 4`; NULL: with "
     "nothing, or not known.",
     KS_TEXT_OF("verified_by")},
    {"distrust", "text", "",
     "How a distrusted kernel was isolated and checked, as JSON: `secret`, from which the content of each "
     "call "
     "follows; `calls`, and `checked`, how many of these were compared; `operands`; `isolation`; "
     "`handing_over_s`, a part of each sample; `least`, which numbers of the work no right kernel can stay "
     "below. NULL: it was trusted.",
     KS_TEXT_OF("distrust")},
    {"inputs_s", "real", "s",
     "Part of `setup_s`: until the operands were made, or found, and mapped. NULL, as the next ones: the "
     "attempt took less than 10 ms, or it is not known."},
    {"reference_s", "real", "s", "Part of `setup_s`: computing the reference, or reading it."},
    {"verify_s", "real", "s",
     "Part of `setup_s`: the calls that are verified, and comparing their output."},
    {"check_s", "real", "s", "From the last sample to the end: what calls leave, and releasing it."},
    {"start_s", "real", "s",
     "Of the first attempt of a slot: from the start of its process until it could work. 0: not the "
     "first."},
    {"slot", "integer", "", "Number of the slot's process on its host; later processes may have it again."},
};

constexpr ColumnText kResult[] = {
    {"result", "integer", "", "Number of the attempt; what `kernsweep show` takes."},
    {"sweep_id", "integer", "", "The sweep."},
    {"job", "integer", "", "Number of the job within the sweep."},
    {"host_id", "integer", "", "The host that measured."},
    {"software_id", "integer", "", "The software that measured."},
    {"samples", "integer", "", "Number of samples; they are in `sample`."},
    {"min_s", "real", "s", "Smallest sample, per call."},
    {"q1_s", "real", "s", "First quartile."},
    {"median_s", "real", "s", "Median."},
    {"q3_s", "real", "s", "Third quartile."},
    {"max_s", "real", "s", "Largest sample."},
    {"mean_s", "real", "s", "Arithmetic mean."},
    {"stdev_s", "real", "s", "Standard deviation, n - 1 in the denominator."},
    {"mad_s", "real", "s", "Median absolute deviation from the median, not scaled."},
    {"warmup_runs", "integer", "", "Calls before the first sample."},
    {"warmup_s", "real", "s", "Time of these calls."},
    {"calls_per_sample", "integer", "", "Calls timed together as one sample."},
    {"noise", "real", "",
     "Half of the 95 % interval of the samples' median, over the median, as the rule that ends sampling "
     "saw it "
     "last; of fewer than 6 samples half of their range."},
    {"stopped_by", "text", "", "Why sampling ended.", KS_TEXT_OF("stopped_by")},
    {"flops", "real", "FLOP", "Operations of one call; a multiply-add counts 2."},
    {"bytes", "real", "B",
     "Compulsory traffic of one call: each operand read once, each result written once."},
    {"error", "real", "", "Largest deviation from the reference, relative to its largest value."},
    {"tolerance", "real", "", "What `error` was compared with."},
    {"repeatable", "integer", "",
     "1: all runs whose output was hashed gave the same bits; 0: they did not; NULL: none was hashed, or "
     "not known."},
    {"grade_reasons", "text", "", "Why it has its grade, one per line.", KS_TEXT_OF("grade_reasons")},
    {"runtime", "text", "", "What the library says it is and does.", KS_TEXT_OF("runtime")},
    {"affinity", "text", "", "Cores of the process, read back.", KS_TEXT_OF("affinity")},
    {"environment", "text", "",
     "Variables that the sweep sets, one per line; control characters and backslashes escaped as in C.",
     KS_TEXT_OF("environment")},
    {"thread_environment", "text", "",
     "Variables that OpenMP, BLAS libraries, oneDNN and oneTBB read, as the process had them, written like "
     "`environment`.",
     KS_TEXT_OF("thread_environment")},
    {"inputs", "text", "",
     "Operands and hashes of the inputs, such as A=<hash> B=<hash>; blanks and = in a name escaped.",
     KS_TEXT_OF("inputs")},
    {"gpus", "text", "",
     "GPUs of the process, one per line: UUID, card, compute capability, memory, driver, its newest CUDA. "
     "NULL: it had none.",
     KS_TEXT_OF("gpus")},
    {"notes", "text", "",
     "What else is to be known of it, one per line; no note changes the grade. NULL: nothing.",
     KS_TEXT_OF("notes")},
    {"first_call_s", "real", "s",
     "Time of the first call of the job, by the clock of the samples. NULL: not known."},
    {"output_sample", "text", "",
     "Of an output that was not verified: `runs` that had it (0: they had different ones), its type and "
     "shape, of numbers the largest, the norm and 8 weighted sums, of text and whole numbers a hash. "
     "`best` "
     "and `show` compare settings by it. NULL: verified, switched off by `verify: false`, or not known.",
     KS_TEXT_OF("output_sample")},
};

constexpr ColumnText kHistory[] = {
    {"sweep_id", "integer", "", "The sweep."},
    {"job", "integer", "", "Number of the job within the sweep."},
    {"job_host", "integer", "",
     "0; with `hosts: each` the number of the host that the job is for; with `hosts: any` -n, when its "
     "point was restarted n times on another kind of host."},
    {"attempt", "integer", "", "Number of the attempt within the job, from 1; 0: no attempt was needed."},
    {"unix_s", "real", "s", "When it happened: seconds since 1970-01-01 UTC. NULL: not known."},
    {"what", "text", "",
     "sent, finished, reused (from an earlier job), or one of the events of attempts (see `event`)."},
    {"status", "text", "", "Of what finished: ok, or how it failed."},
    {"session", "integer", "", "Number of the worker's session; NULL: not known."},
    {"host_id", "integer", "", "The host; NULL: not known."},
    {"result", "integer", "", "Number of the attempt, once it is stored; what `kernsweep show` takes."},
    {"reason", "text", "", "Why; NULL: nothing more to say."},
    {"rank", "integer", "", "0 sent, 1 an event, 2 finished: the order of what has the same time."},
};

// An attempt that gave an outcome is found by its job in `outcome`; other attempts and events are found by
// their indices. So the history of one job is read without a scan over other jobs.
#define KS_JOB_OF(table) table ".sweep_id, " table ".job, " table ".job_host, "
#define KS_ANSWERED "from outcome o join attempt_row a on a.result = o.result where o.reused = 0 "
#define KS_TRIED_AGAIN "from attempt_row a where a.final = 0 "
#define KS_SENT "a.attempt, a.sent_unix_s, 'sent', null, a.session, a.host_id, a.result, null, 0 "
#define KS_WAS_SENT "and a.sent_unix_s is not null union all "
#define KS_FINISHED                                                                                  \
  "a.attempt, a.finished_unix_s, 'finished', a.status, a.session, a.host_id, a.result, " KS_TEXT_OF( \
      "reason") ", 2 "
constexpr std::string_view kHistoryRows =
    "(select o.sweep_id, o.job, o.job_host, a.attempt, a.sent_unix_s as unix_s, 'sent' as what, null as "
    "status, a.session, a.host_id, a.result, null as reason, 0 as rank " KS_ANSWERED KS_WAS_SENT
    "select " KS_JOB_OF("a") KS_SENT KS_TRIED_AGAIN KS_WAS_SENT "select " KS_JOB_OF("o")
        KS_FINISHED KS_ANSWERED
    "union all "
    "select " KS_JOB_OF("a") KS_FINISHED KS_TRIED_AGAIN
    "union all "
    "select sweep_id, job, job_host, 0, null, 'reused', status, null, host_id, result, null, 2 from "
    "outcome where reused = 1 union all "
    "select sweep_id, job, job_host, attempt, unix_s, what, null, session, host_id, null, reason, 1 from "
    "event where job is not null)";
#undef KS_FINISHED
#undef KS_WAS_SENT
#undef KS_SENT
#undef KS_TRIED_AGAIN
#undef KS_ANSWERED
#undef KS_JOB_OF
#undef KS_TEXT_OF

constexpr std::array kViews = {
    TableText{
        "results", true,
        "Every job that has its outcome, of all sweeps. After these columns comes `params`: the "
        "values of the point as a JSON object, those that are not set left out, floats with the digits "
        "that they need (at most 17).",
        "outcome o", kResults},
    TableText{
        "point", true,
        "The points with a job that has its outcome. After these columns comes `params`, as in `results`.",
        "outcome o group by o.sweep_id, o.point", kPoint},
    TableText{"verdict", true,
              "What is known of each point, for each state of the caches and kind of host. Needs an SQLite "
              "with mathematical functions (`ln`, `exp`, `sqrt`), as Debian's and Python's are built. "
              "After these columns comes `params`, as in `results`.",
              kVerdictRows, kVerdict},
    TableText{"job", true, "The jobs that have their outcome.", "outcome", kJob},
    TableText{"attempt", true, "Every try at a job.", "attempt_row a", kAttempt},
    TableText{"result", true, "What was measured in an attempt.",
              "attempt_row a where a.median_s is not null", kResult},
    TableText{"attempt_history", true,
              "What happened to each attempt, a row for each change: sent, what came between, finished. "
              "Order by `unix_s, rank`.",
              kHistoryRows, kHistory},
};

}  // namespace

std::span<const TableText> views() {
  return kViews;
}
std::span<const ColumnText> result_columns() {
  return kResults;
}

}  // namespace kernsweep::schema
