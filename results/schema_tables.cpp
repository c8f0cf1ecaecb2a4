// What is stored: each column once, with its unit and its meaning.
#include <array>

#include "results/schema.hpp"

namespace kernsweep::schema {

namespace {

constexpr ColumnText kSweep[] = {
    {"id", "integer primary key", "", "Number of the sweep; `sweep_id` elsewhere."},
    {"name", "text not null", "", "Name given in the sweep file."},
    {"kernel", "text not null", "", "Kernel family, command line or Python reference."},
    {"file", "text not null", "", "Path of the sweep file as it was given."},
    {"text", "text not null", "", "The sweep file as it was read."},
    {"replacements", "text not null", "",
     "Changes given on the command line, in the coordinator's own form."},
    {"seed", "integer not null", "", "Root of every other seed."},
    {"processes", "integer not null", "", "Independent processes in which each point is measured."},
    {"raw_points", "integer not null", "", "Points before exclusions and constraints."},
    {"raw_jobs", "integer not null", "", "Jobs before exclusions and constraints."},
    {"quick", "integer not null", "", "1: run with --quick, a first look with few samples."},
    {"identity", "blob not null", "", "Hash over everything that decides what is measured (16 bytes)."},
    {"state", "text not null", "", "running, finished or stopped."},
    {"started_unix_s", "real", "s", "When it was begun: seconds since 1970-01-01 UTC."},
    {"ended_unix_s", "real", "s", "When it last ended: seconds since 1970-01-01 UTC."},
};

constexpr ColumnText kSweepColumn[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"position", "integer not null", "", "Position among the sweep's columns, from 0."},
    {"name", "text not null", "",
     "Name in the sweep file: an axis, a field of a record axis or a derived value."},
    {"view_name", "text not null", "", "Name in the view of the sweep."},
    {"storage", "integer not null", "", "n: kept in column `a<n>` of `outcome`; 0: kept in `variant`."},
    {"derived", "integer not null", "", "1: computed from the other columns."},
    {"has_null", "integer not null", "", "1: some recorded point has no value here (inactive or not set)."},
};

constexpr ColumnText kSweepTag[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"name", "text not null", "", "Name of the tag."},
    {"value", "text not null", "", "Its value."},
};

constexpr ColumnText kHost[] = {
    {"id", "integer primary key", "", "Number of the host; `host_id` elsewhere."},
    {"name", "text not null", "", "The host's own name."},
    {"cpu", "text not null", "", "Processor model as the processor tells it."},
    {"architecture", "text not null", "", "Machine architecture, such as x86_64."},
    {"os", "text not null", "", "Distribution and version."},
    {"os_kernel", "text not null", "", "Release of the operating system's kernel."},
    {"microcode", "text not null", "", "Version of the processor's microcode."},
    {"governor", "text not null", "", "Frequency governor; empty: none or not known."},
    {"sockets", "integer not null", "", "Processor packages."},
    {"numa_nodes", "integer not null", "", "NUMA nodes."},
    {"cores", "integer not null", "", "Physical cores."},
    {"threads", "integer not null", "", "Hardware threads."},
    {"memory_bytes", "integer not null", "B", "Main memory."},
    {"fingerprint", "blob not null unique", "", "Hash over `fingerprint_text` (16 bytes)."},
    {"fingerprint_text", "text not null", "", "Everything by which the host is told from others."},
};

constexpr ColumnText kSoftware[] = {
    {"id", "integer primary key", "", "Number of the software; `software_id` elsewhere."},
    {"version", "text not null", "", "Version of Kernsweep."},
    {"pack", "text not null", "", "Name of the pack of kernels."},
    {"pack_version", "text not null", "", "Its version."},
    {"pack_build", "text not null", "", "Its build id, compiler and flags."},
    {"libraries", "text not null", "", "Libraries by content, one per line."},
    {"identity", "blob not null unique", "", "Hash over all of it (16 bytes)."},
};

constexpr ColumnText kInput[] = {
    {"hash", "text primary key not null", "", "Hash of the content, in hexadecimal digits."},
    {"name", "text not null", "", "Operand that it was made for."},
    {"source", "text not null", "", "Generator with its seed and distribution, or the file."},
    {"dtype", "text not null", "", "Type of an element."},
    {"shape", "text not null", "", "Extents, slowest first, such as 2048x2048."},
    {"bytes", "integer not null", "B", "Size."},
};

constexpr ColumnText kOutcome[] = {
    {"sweep_id", "integer not null", "", "The sweep."},
    {"job", "integer not null", "",
     "Number of the job within the sweep, from 0, rejected points included."},
    {"job_host", "integer not null", "",
     "0, or with `hosts: each` the number of the host that the job is for."},
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
    {"run_s", "real", "s", "Warming up and sampling."},
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
    {"tolerance", "real", "", "What `error` was held against."},
    {"reason", "integer", "", "Why it failed: `text.id`."},
    {"stderr", "integer", "", "End of what the process wrote to stderr: `text.id`."},
    {"grade_reasons", "integer", "", "Why it has its grade, one per line: `text.id`."},
    {"runtime", "integer", "", "What the library says it is and does: `text.id`."},
    {"affinity", "integer", "", "Cores of the process, read back: `text.id`."},
    {"environment", "integer", "", "Environment of the process, one variable per line: `text.id`."},
    {"inputs", "integer", "", "Hashes of the inputs: `text.id`."},
    {"stopped_by", "integer", "", "Why sampling ended: `text.id`."},
};

constexpr ColumnText kText[] = {
    {"id", "integer primary key", "", "Number of the text."},
    {"content", "text not null", "", "The text."},
};

constexpr ColumnText kSample[] = {
    {"result", "integer primary key", "", "Number of the attempt."},
    {"seconds", "blob not null", "s", "Time per call of each sample, in order: float64, little-endian."},
};

constexpr std::array kTables = {
    TableText{"sweep", false, "One row per sweep.", "", kSweep},
    TableText{"sweep_column", false, "The columns of a sweep's points.",
              "primary key (sweep_id, position)) without rowid", kSweepColumn},
    TableText{"sweep_tag", false, "The tags of a sweep.", "primary key (sweep_id, name)) without rowid",
              kSweepTag},
    TableText{"host", false, "One row per host, as it was when it joined.", "", kHost},
    TableText{"software", false, "What measured.", "", kSoftware},
    TableText{"input", false, "Input tensors, by content.", "", kInput},
    TableText{"outcome", false,
              "One row per job that has its outcome. Behind these columns stand `a1`, `a2`, ...: the "
              "values of the "
              "point, as `sweep_column.storage` says. Ask the views instead.",
              "primary key (sweep_id, job, job_host)) without rowid", kOutcome},
    TableText{"attempt_row", false,
              "One row per attempt: what `outcome` does not hold. Ask the views instead.", "", kAttemptRow},
    TableText{"text", false, "Long texts, each once.", "", kText},
    TableText{"sample", false, "The raw samples.", "", kSample},
};

}  // namespace

std::span<const TableText> tables() {
  return kTables;
}

}  // namespace kernsweep::schema
