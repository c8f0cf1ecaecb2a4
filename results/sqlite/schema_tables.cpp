// The tables: every column with its type, unit and meaning. schema.hpp describes how to add one.
#include <array>

#include "results/sqlite/schema.hpp"

namespace kernsweep::schema {

namespace {

constexpr ColumnText kSweep[] = {
    {"id", "integer primary key", "", "Number of the sweep; `sweep_id` elsewhere."},
    {"name", "text not null", "", "Name given in the sweep file."},
    {"kernel", "text not null", "", "Kernel family, command line or Python reference."},
    {"file", "text not null", "", "Path of the sweep file as it was given."},
    {"text", "text not null", "", "The sweep file as it was read."},
    {"replacements", "text not null", "",
     "Changes given on the command line, and the order of the jobs where the file names none with its "
     "seed, in the "
     "coordinator's own form."},
    {"seed", "integer not null", "", "Root of every other seed."},
    {"processes", "integer not null", "", "Independent processes in which each point is measured."},
    {"raw_points", "integer not null", "", "Points before exclusions and constraints."},
    {"raw_jobs", "integer not null", "", "Jobs before exclusions and constraints."},
    {"quick", "integer not null", "", "1: run with --quick, a first look with few samples."},
    {"identity", "blob not null", "", "Hash over everything that decides what is measured (16 bytes)."},
    {"state", "text not null", "",
     "running, finished, stopped, cancelled, or superseded: restarted because something that it had "
     "measured would now be measured differently."},
    {"started_unix_s", "real", "s", "When it was begun: seconds since 1970-01-01 UTC."},
    {"ended_unix_s", "real", "s", "When it last ended: seconds since 1970-01-01 UTC."},
    {"priority", "integer not null default 0", "", "Sweeps of larger numbers go first."},
    {"submitted", "integer not null default 0", "",
     "1: came from a client; a coordinator that is started again continues it."},
    {"outputs_ignored", "integer not null default 0", "",
     "1: `verify.outputs: ignore`: outputs that no reference has judged are not compared."},
    {"processes_least", "integer", "",
     "Processes in which each point is measured; more, up to `processes`, only where a comparison was not "
     "decided (table `asked`). NULL: each point has `processes`."},
};

constexpr ColumnText kAsked[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"round", "integer not null", "", "Number of the decision, from 1."},
    {"process_from", "integer not null", "", "First process that was asked for."},
    {"process_until", "integer not null", "",
     "The process behind the last one; equal to `process_from`: nothing more was asked for, and the sweep "
     "ended."},
    {"points", "text not null", "", "Positions of the points that were asked for, as a JSON list."},
    {"why", "text not null", "", "What was not decided, or why the sweep ended."},
};

constexpr ColumnText kSweepFile[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"path", "text not null", "", "The file, as the sweep file names it."},
    {"content", "text not null", "", "What it held when the sweep was begun."},
};

constexpr ColumnText kSweepColumn[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"position", "integer not null", "", "Position among the sweep's columns, from 0."},
    {"name", "text not null", "",
     "Name in the sweep file: an axis, a field of a record axis or a derived value."},
    {"view_name", "text not null", "", "Name in the view of the sweep."},
    {"storage", "integer not null", "", "n: kept in column `a<n>` of `outcome`; 0: kept in `variant`."},
    {"derived", "integer not null", "",
     "1: computed from the other columns; 2, 3: an axis of a command whose texts are whole numbers, or "
     "floats, as they were written; 4: an axis of true and false."},
    {"has_null", "integer not null", "", "1: some recorded point has no value here (inactive or not set)."},
    {"problem", "integer", "", "1: part of the problem; 0: a setting; NULL: not known."},
};

constexpr ColumnText kSweepTag[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"name", "text not null", "", "Name of the tag."},
    {"value", "text not null", "", "Its value."},
};

constexpr ColumnText kHost[] = {
    {"id", "integer primary key", "", "Number of the host; `host_id` elsewhere."},
    {"name", "text not null", "", "The host's own name."},
    {"cpu", "text not null", "", "Processor model as the processor reports it."},
    {"architecture", "text not null", "", "Machine architecture, such as x86_64."},
    {"os", "text not null", "", "Distribution and version."},
    {"os_kernel", "text not null", "", "Release of the operating system's kernel."},
    {"microcode", "text not null", "", "Version of the processor's microcode."},
    {"governor", "text not null", "", "Frequency governor; empty: none or not known."},
    {"cpu_vendor", "text not null", "", "Maker of the processor, as it reports it."},
    {"cpu_family", "text not null", "", "Family number; on ARM the architecture."},
    {"cpu_model_number", "text not null", "", "Model number; on ARM the part."},
    {"cpu_stepping", "text not null", "", "Stepping; on ARM variant and revision."},
    {"isa", "text not null", "", "Instruction sets, sorted, in the kernel's words."},
    {"caches", "text not null", "", "Level, type, size, line and sharing of each kind of cache."},
    {"numa_layout", "text not null", "", "Processors and distances of each NUMA node."},
    {"hypervisor", "text not null", "", "Name of the hypervisor; empty: none seen."},
    {"container", "text not null", "", "Kind of container; empty: none seen."},
    {"frequency_khz", "text not null", "kHz", "Least and largest clock that the policy allows."},
    {"turbo", "text not null", "", "on or off; empty: not shown."},
    {"huge_pages", "text not null", "", "Transparent huge pages: always, madvise or never."},
    {"address_randomisation", "text not null", "", "0 none, 1 part, 2 all of the address space."},
    {"numa_balancing", "text not null", "",
     "0: the kernel does not move pages between nodes automatically."},
    {"swap", "text not null", "", "on: there is swap space."},
    {"limits", "text not null", "", "Limits by control groups: processors, memory, cpuset."},
    {"mitigations", "text not null", "", "State of each known vulnerability of the processor."},
    {"sockets", "integer not null", "", "Processor packages."},
    {"numa_nodes", "integer not null", "", "NUMA nodes."},
    {"cores", "integer not null", "", "Physical cores."},
    {"threads", "integer not null", "", "Hardware threads."},
    {"memory_bytes", "integer not null", "B", "Main memory."},
    {"fingerprint", "blob not null", "", "Hash over `fingerprint_text` (16 bytes)."},
    {"fingerprint_text", "text not null", "",
     "Everything that distinguishes hosts that compute alike from others."},
};

constexpr ColumnText kSoftware[] = {
    {"id", "integer primary key", "", "Number of the software; `software_id` elsewhere."},
    {"version", "text not null", "", "Version of Kernsweep."},
    {"git", "text not null", "", "State of its sources: commit, and whether they were changed since."},
    {"compiler", "text not null", "", "Compiler that built it."},
    {"flags", "text not null", "", "Type of its build, and flags."},
    {"pack", "text not null", "", "Name of the pack of kernels."},
    {"pack_version", "text not null", "", "Its version."},
    {"pack_build", "text not null", "", "Its compiler and flags, as it reports them."},
    {"pack_build_id", "text not null", "", "Build id of its shared object; empty: it has none."},
    {"libraries", "text not null", "",
     "Shared libraries of the process at the end of a job, one per line: path (links followed), soname, "
     "version, bytes, hash of the content (XXH3-128), build id; between them tabs, - where there is none, "
     "control characters and backslashes escaped as in C."},
    {"identity", "blob not null unique", "", "Hash over all of it (16 bytes)."},
    {"sources", "text not null default ''", "",
     "Files that ran and were read, one per line: role (pack, library, program, word, linked, closed, "
     "module, package, input, depends, reference, reference_program, interpreter, interpreter_program, "
     "variable, build, built, built_from, built_with, compiler), name as declared, path, bytes, hash of "
     "the "
     "content (XXH3-128); between them tabs, - where there is none, control characters and backslashes "
     "escaped as in C."},
};

constexpr ColumnText kInput[] = {
    {"hash", "text primary key not null", "", "Hash of the content, in hexadecimal digits."},
    {"name", "text not null", "", "Operand that it was made for."},
    {"source", "text not null", "", "Distribution and seed, or the file."},
    {"generator", "text not null", "", "Name and version of the generator; empty: from a file."},
    {"seed", "integer", "", "Seed of the tensor; NULL: from a file, or not known."},
    {"identity", "text not null", "", "Hash over what it was made from, in hexadecimal digits."},
    {"dtype", "text not null", "", "Type of an element; empty: not known."},
    {"shape", "text not null", "", "Extents, slowest first, such as 2048x2048."},
    {"bytes", "integer not null", "B", "Size."},
};

constexpr ColumnText kOutcome[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"job", "integer not null", "",
     "Number of the job within the sweep, from 0, rejected points included."},
    {"job_host", "integer not null", "",
     "0; with `hosts: each` the number of the host that the job is for; with `hosts: any` -n, when its "
     "point was restarted n times on another kind of host."},
    {"result", "integer not null", "",
     "Number of the attempt that gave the outcome; of the first one if reused."},
    {"attempt", "integer not null", "", "How many attempts it took; 0: reused."},
    {"point", "integer not null", "", "Position of the point in the sweep, from 0."},
    {"status", "text not null", "", "ok, or how the last attempt failed."},
    {"grade", "text", "", "A clean, B with warnings, C doubtful, X wrong."},
    {"median_s", "real", "s", "Median time of one call."},
    {"gflops", "real", "GFLOP/s", "1e9 operations per second, from the median."},
    {"gbps", "real", "GB/s", "1e9 bytes of compulsory traffic per second, from the median."},
    {"variant", "text", "", "The variant that computed."},
    {"host_id", "integer", "", "The host that measured."},
    {"cache", "text not null", "", "hot or cold: the state of the caches before a timed call."},
    {"process", "integer not null", "", "Ordinal of the independent process, from 0."},
    {"quick", "integer not null", "", "1: measured with --quick."},
    {"reused", "integer not null", "", "1: measured earlier, by another job with the same key."},
    {"software_id", "integer", "", "The software that measured."},
    {"output_hash", "text", "", "Hash of the output, in hexadecimal digits."},
    {"key", "blob not null", "",
     "Hash over what is measured (16 bytes); equal keys measure the same thing."},
};

constexpr ColumnText kAttemptRow[] = {
    {"result", "integer primary key", "", "Number of the attempt; what `kernsweep show` takes."},
    {"sweep_id", "integer not null", "", "The sweep."},
    {"job", "integer not null", "", "Number of the job within the sweep."},
    {"job_host", "integer not null", "", "As in `outcome`."},
    {"attempt", "integer not null", "", "Number of the attempt within the job, from 1."},
    {"final", "integer not null", "", "1: it gave the job its outcome when it was stored."},
    {"status", "text not null", "", "ok, or how it failed."},
    {"host_id", "integer", "", "The host that tried."},
    {"software_id", "integer", "", "The software that tried."},
    {"finished_unix_s", "real", "s", "When it ended: seconds since 1970-01-01 UTC."},
    {"queue_s", "real", "s", "From being sent to being started."},
    {"setup_s", "real", "s", "Preparing and verifying."},
    {"lease_wait_s", "real", "s", "From being prepared to having the host, or a part of it, alone."},
    {"run_s", "real", "s", "Warming up and sampling."},
    {"order_index", "integer", "", "Position in which the coordinator handed the attempt out, from 1."},
    {"warmup_runs", "integer not null", "", "Calls before the first sample."},
    {"calls_per_sample", "integer not null", "", "Calls timed together as one sample."},
    {"samples", "integer not null", "", "Number of samples."},
    {"min_s", "real", "s", "Smallest sample, per call."},
    {"q1_s", "real", "s", "First quartile."},
    {"median_s", "real", "s", "Median."},
    {"q3_s", "real", "s", "Third quartile."},
    {"max_s", "real", "s", "Largest sample."},
    {"mean_s", "real", "s", "Arithmetic mean."},
    {"stdev_s", "real", "s", "Standard deviation, n - 1 in the denominator."},
    {"mad_s", "real", "s", "Median absolute deviation from the median, not scaled."},
    {"flops", "real", "FLOP", "Operations of one call; a multiply-add counts 2."},
    {"bytes", "real", "B", "Compulsory traffic of one call."},
    {"error", "real", "", "Largest deviation from the reference, relative to its largest value."},
    {"tolerance", "real", "", "What `error` was compared with."},
    {"reason", "integer", "", "Why it failed: `text.id`."},
    {"stderr", "integer", "", "End of what the process wrote to stderr: `text.id`."},
    {"grade_reasons", "integer", "", "Why it has its grade, one per line: `text.id`."},
    {"runtime", "integer", "", "What the library says it is and does: `text.id`."},
    {"affinity", "integer", "", "Cores of the process, read back: `text.id`."},
    {"environment", "integer", "",
     "Variables that the sweep sets, one per line, control characters and backslashes escaped as in C: "
     "`text.id`."},
    {"thread_environment", "integer", "", "Variables about threads as the process had them: `text.id`."},
    {"inputs", "integer", "",
     "Operands and hashes of the inputs, such as A=<hash> B=<hash>; blanks and = in a name escaped: "
     "`text.id`."},
    {"stopped_by", "integer", "", "Why sampling ended: `text.id`."},
    {"noise", "real", "", "As in `result`."},
    {"warmup_s", "real", "s", "Warming up."},
    {"repeatable", "integer", "", "As in `result`."},
    {"sent_unix_s", "real", "s", "When it was sent: seconds since 1970-01-01 UTC."},
    {"session", "integer", "", "Number of the worker's session that tried it."},
    {"gpus", "integer", "", "GPUs of the process: `text.id`."},
    {"doubt_cause", "text", "",
     "What the first of `grade_reasons` is about: clock, steal, migrated, switched, major fault, "
     "others, quota; NULL: something else, or not known."},
    {"notes", "integer", "", "As in `result`: `text.id`."},
    {"first_call_s", "real", "s", "As in `result`."},
    {"verified_by", "integer", "", "What the output was compared with: `text.id`."},
    {"distrust", "integer", "", "As in `attempt`: `text.id`."},
    {"output_sample", "integer", "", "As in `result`: `text.id`."},
    {"inputs_s", "real", "s", "As in `attempt`, like the next ones."},
    {"reference_s", "real", "s", "Obtaining the reference."},
    {"verify_s", "real", "s", "The calls that are verified, and comparing."},
    {"check_s", "real", "s", "From the last sample to the end."},
    {"start_s", "real", "s", "Start of the slot's process."},
    {"slot", "integer", "", "Number of the slot's process on its host."},
};

constexpr ColumnText kEvent[] = {
    {"id", "integer primary key", "", "Number of the event, in the order in which they were stored."},
    {"unix_s", "real", "s", "When it happened: seconds since 1970-01-01 UTC."},
    {"sweep_id", "integer", "", "The sweep; NULL: the event is a worker's."},
    {"job", "integer", "", "Number of the job within the sweep; NULL: the event is not of an attempt."},
    {"job_host", "integer", "", "As in `outcome`."},
    {"attempt", "integer", "", "Number of the attempt within the job, from 1."},
    {"session", "integer", "", "Number of the worker's session, which distinguishes it from others."},
    {"host_id", "integer", "", "The worker's host."},
    {"what", "text not null", "",
     "Of an attempt: returned, retracted, lost, adopted, cancelled or late. Of a worker: joined, left, "
     "lost, draining, drained, refused or readmitted. Of a sweep: submitted, cancelled or ended. Of a "
     "point, "
     "by its first job: restarted."},
    {"reason", "text", "", "Why, for people; NULL: nothing more to say."},
};

constexpr ColumnText kFileIdentity[] = {
    {"id", "integer primary key", "", "1: there is one row."},
    {"identity", "blob not null", "",
     "16 random bytes, made with the file: by these workers know the database that their results belong "
     "to."},
};

constexpr ColumnText kText[] = {
    {"id", "integer primary key", "", "Number of the text."},
    {"content", "text not null", "", "The text."},
};

constexpr ColumnText kSample[] = {
    {"result", "integer primary key", "", "Number of the attempt."},
    {"seconds", "blob not null", "s", "Time per call of each sample, in order: float64, little-endian."},
};

constexpr ColumnText kConditions[] = {
    {"result", "integer primary key", "", "Number of the attempt."},
    {"clock_ghz", "real", "GHz", "Median of the effective clock while sampling."},
    {"clock_low", "real", "", "Lowest clock of a window of samples, as a share of the job's reference."},
    {"clock_stable", "integer", "", "1: the clock was stable when the warm-up ended."},
    {"samples_taken", "integer", "", "Samples taken, those left out included."},
    {"discarded", "integer", "", "Samples left out because they were disturbed."},
    {"disturbed_by", "text", "", "Disturbed samples by cause, left out or not: `clock 12, switched 40`."},
    {"foreign_cores", "real", "", "Cores of the host that others kept busy on average."},
    {"neighbours", "integer", "", "Most other jobs of ours that worked on the host meanwhile."},
    {"steal_s", "real", "s", "Taken from the job's cores by the hypervisor."},
    {"page_faults", "integer", "", "Minor page faults while sampling."},
    {"switches", "integer", "", "Involuntary context switches, warm-up included."},
    {"cpu_s", "real", "s", "Time of the processors that the job used, warm-up included."},
    {"peak_memory_bytes", "integer", "B", "Largest resident size of the process during the job."},
    {"threads_found", "integer", "", "Threads that worked while it was sampled."},
    {"p90_s", "real", "s", "90th percentile of single calls; NULL below 10 of them."},
    {"p99_s", "real", "s", "99th percentile of single calls; NULL below 100 of them."},
    {"p999_s", "real", "s", "99.9th percentile of single calls; NULL below 1,000 of them."},
    {"error_norm", "real", "", "Euclidean norm of output less reference, relative to the reference's."},
    {"nan_count", "integer", "", "Elements of the output that are NaN."},
    {"inf_count", "integer", "", "Elements of the output that are infinite."},
    {"zero_share", "real", "", "Share of the output's elements that are zero."},
    {"interference", "real", "",
     "Median divided by that of the same point with the host to itself, where that was measured too."},
    {"energy_j", "real", "J", "Used by the processor packages, warm-up included."},
    {"load_1min", "real", "", "The system's load average over a minute, after sampling."},
    {"temperature_c", "real", "C", "Of the hottest thermal zone, after sampling."},
    {"cold_by", "text", "", "How the caches were made cold: rotation or eviction; NULL: they were not."},
    {"metric", "text", "", "What a sample stands for, as `measure.metric` asks: throughput or latency."},
    {"error_element", "real", "",
     "Largest `abs(x - r) / abs(r)` of an element; NULL where one has none: r is 0 and x is not, "
     "or only "
     "one is finite."},
    {"least_median_s", "real", "s",
     "Of a result that is graded C because samples were disturbed: the least that its median may have "
     "been; "
     "NULL: not known."},
};

constexpr ColumnText kMetric[] = {
    {"name", "text not null", "", "What was counted; it ends in its unit: `device_peak_bytes`."},
    {"result", "integer not null", "", "Number of the attempt."},
    {"value", "real not null", "", "How much."},
    {"better", "text", "",
     "Which numbers are the better ones, as was declared: larger or smaller; NULL: the name says "
     "it."},
    {"unit", "text", "", "The unit, as was declared; NULL: the name ends in it."},
};

constexpr std::array kTables = {
    TableText{"sweep", false, "One row per sweep.", "", kSweep},
    TableText{"sweep_column", false, "The columns of a sweep's points.",
              "primary key (sweep_id, position)) without rowid", kSweepColumn},
    TableText{"sweep_tag", false, "The tags of a sweep.", "primary key (sweep_id, name)) without rowid",
              kSweepTag},
    TableText{"sweep_file", false, "The tables that a sweep file reads, whole.",
              "primary key (sweep_id, path))", kSweepFile},
    TableText{"asked", false,
              "Decisions of sweeps that ask for more processes where a comparison is not decided.",
              "primary key (sweep_id, round)) without rowid", kAsked},
    TableText{"host", false, "One row per host and state of it, as it was when it joined.",
              "unique (fingerprint, name))", kHost},
    TableText{"software", false, "What measured.", "", kSoftware},
    TableText{"input", false, "Input tensors, by content.", "", kInput},
    TableText{"outcome", false,
              "One row per job that has its outcome. After these columns come `a1`, `a2`, ...: the values "
              "of the point, as `sweep_column.storage` says. Ask the views instead.",
              "primary key (sweep_id, job, job_host)) without rowid", kOutcome},
    TableText{"attempt_row", false,
              "One row per attempt: what `outcome` does not hold. Ask the views instead.", "", kAttemptRow},
    TableText{"text", false, "Long texts, each once.", "", kText},
    TableText{"sample", false, "The raw samples.", "", kSample},
    TableText{"conditions", false,
              "What it was like while it was measured: one row per attempt whose rules ask for 20 ms of "
              "warm-up and sampling or more (shorter ones are not watched). NULL: not known on that host.",
              "", kConditions},
    TableText{
        "metric", false,
        "What else was counted while it was measured, by the kernel, by the processor or of its GPUs: "
        "one row for each.",
        // By name first: queries ask which names there are.
        "primary key (name, result)) without rowid", kMetric},
    TableText{"event", false,
              "What happened to attempts, workers and sweeps and is not in `attempt` or `sweep`. The "
              "view `attempt_history` has all of an attempt together.",
              "", kEvent},
    TableText{"file_identity", false,
              "What distinguishes this database from all others. A copy has the same.", "", kFileIdentity},
};

}  // namespace

std::span<const TableText> tables() {
  return kTables;
}

}  // namespace kernsweep::schema
