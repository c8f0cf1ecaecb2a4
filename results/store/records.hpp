// The input of the store: one plain record for each kind of thing that it stores.
//
// A record is only used during one call of the store, which copies its texts and spans. Units are in the
// names (_s: seconds). A number that is not known is NaN (kUnknown) and is stored as NULL.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/doubt_cause.hpp"
#include "shared/base/ids.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/rules.hpp"
#include "shared/base/value.hpp"
#include "shared/stats/statistics.hpp"
#include "shared/text/metric_name.hpp"
#include "shared/text/text_file.hpp"

namespace kernsweep {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Identifies an attempt; `kernsweep show` takes this number. Never used twice within a database.
using ResultId = Id<struct ResultTag, std::uint64_t>;
// host.id and software.id; 0: none (nothing was measured, or it is not known).
using HostId = Id<struct HostTag, std::uint32_t>;
using SoftwareId = Id<struct SoftwareTag, std::uint32_t>;

enum class SweepState : std::uint8_t { running = 1, finished, stopped, cancelled, superseded };
std::string_view name_of(SweepState state);
// Returns nothing for an unknown name.
std::optional<SweepState> sweep_state_named(std::string_view name);

// What the values of a column represent. A database stores 1.50 and 007 as text, because the numbers do not
// determine what a program got, and true and false as 1 and 0. `sweep_column.derived` has it.
enum class StandsFor : std::uint8_t { itself = 0, whole_number = 2, real_number = 3, truth = 4 };
inline bool is_number_word(StandsFor what) {
  return what == StandsFor::whole_number || what == StandsFor::real_number;
}

// A sweep as the coordinator read it. Two records with equal `identity` are the same sweep.
struct SweepRecord {
  std::string name;
  std::string kernel;        // family, command line or python reference
  std::string file;          // path as given
  std::string text;          // the file as read
  std::string replacements;  // from the command line, and the order of jobs, in the coordinator's own form
  std::map<std::string, std::string> tags;
  std::vector<std::string> columns;  // names of a point's values: axes, fields of records, derived values
  // The first `parameter_count` columns are parameters, the others are derived from them.
  std::size_t parameter_count = std::numeric_limits<std::size_t>::max();
  // Whether each column is part of the problem (true) or a setting; nullopt: not known. Empty: not known
  // for any column.
  std::vector<std::optional<bool>> problem;
  // For each column. Empty: StandsFor::itself.
  std::vector<StandsFor> stands_for;
  std::uint64_t seed = 0;
  std::uint64_t raw_points = 0;  // before filtering
  std::uint64_t raw_jobs = 0;
  std::uint32_t processes = 1;
  std::uint32_t processes_least = 0;  // of each point; 0: all have `processes`
  bool quick = false;
  bool outputs_ignored = false;      // answers do not compare outputs without reference
  Digest identity;                   // hash over everything that determines what is measured
  double started_unix_s = kUnknown;  // seconds since 1970-01-01 UTC
  std::vector<TextFile> files;  // tables that it reads, each path once: enough to resume it without files
  std::int32_t priority = 0;    // sweeps with larger numbers run first
  bool submitted = false;       // submitted by a client: see Store::to_be_continued
};

// A decision of a sweep whose points do not all have the same number of processes, made when all requested
// jobs had their outcomes.
struct AskedRound {
  std::uint32_t from = 0, until = 0;  // requested processes; equal: no more are requested
  std::vector<std::uint64_t> points;  // their positions, ascending
  std::string why;
};

struct StoredSweep {
  SweepId id;
  SweepState state = SweepState::running;
  SweepRecord record;
  std::uint64_t answered_jobs = 0;  // jobs that have an outcome
  std::uint64_t accepted_jobs = 0;  // jobs whose outcome is ok
};

// The tag of a sweep whose results another program measured: the name of that program.
inline constexpr const char* kImportedFrom = "imported_from";
// The value of that tag; empty: measured by Kernsweep.
std::string imported_from(const SweepRecord& record);

// The state of a machine when it joined. Records with equal fingerprint and name are the same host. It
// contains no names of users and no addresses.
struct HostRecord {
  Digest fingerprint;
  std::string name;  // the host's own name
  std::string cpu;   // processor model, as the processor reports it
  std::string architecture;
  std::string os;         // distribution and version
  std::string os_kernel;  // release of the operating system's kernel
  std::string microcode;
  std::string governor;  // frequency governor; empty: none or unknown
  // The same texts as in `text`; empty: the system does not report it.
  std::string cpu_vendor, cpu_family, cpu_model_number, cpu_stepping, isa, caches, numa_layout;
  std::string hypervisor, container, frequency_khz, turbo, huge_pages, address_randomisation;
  std::string numa_balancing, swap, limits, mitigations;
  std::uint32_t sockets = 0, numa_nodes = 0, cores = 0, threads = 0;
  std::uint64_t memory_bytes = 0;
  std::string text;  // the canonical text; the fingerprint is its hash
};

// The software that measured: build of Kernsweep, pack, libraries and files by content. Records with equal
// identity are the same software.
struct SoftwareRecord {
  Digest identity;
  std::string version;          // of kernsweep
  std::string git;              // state of its sources
  std::string compiler, flags;  // of its build
  std::string pack;             // "gemm"
  std::string pack_version;
  std::string pack_build;     // compiler and flags, as the pack reports them
  std::string pack_build_id;  // of the shared object; empty: none or unknown
  std::string libraries;      // one per line (shared/lists/library_lines.hpp)
  std::string sources;        // files that were run or read, one per line (shared/lists/source_lines.hpp)
};

// An input tensor, identified by the hash of its content.
struct InputRecord {
  Digest hash;
  std::string name;                   // operand ("A")
  std::string source;                 // "uniform(-1, 1) seed 7" or "weights.npy"
  std::string generator;              // name and version; empty: from a file
  std::optional<std::uint64_t> seed;  // nullopt: from a file, or not known
  std::string identity;               // hexadecimal; hash over everything it was made from
  std::string dtype;                  // empty: not known; then neither are shape and seed
  std::string shape;                  // "2048x2048"
  std::uint64_t bytes = 0;
};

// The state of the machine while an attempt was measured; see the table `conditions`.
struct ConditionsRecord {
  double clock_ghz = kUnknown, clock_low = kUnknown;
  bool measured = false;  // false: it was only verified; members about samples are stored as NULL
  bool clock_stable = false;
  std::uint64_t samples_taken = 0, discarded = 0;
  std::string_view disturbed_by;
  double foreign_cores = kUnknown;
  std::uint32_t neighbours = 0;
  double steal_s = kUnknown, page_faults = kUnknown, switches = kUnknown, cpu_s = kUnknown;
  std::uint64_t peak_memory_bytes = 0;
  std::uint32_t threads_found = 0;
  double p90_s = kUnknown, p99_s = kUnknown, p999_s = kUnknown;
  double error_norm = kUnknown, nan_count = kUnknown, inf_count = kUnknown, zero_share = kUnknown;
  double interference = kUnknown;
  double energy_j = kUnknown, load_1min = kUnknown, temperature_c = kUnknown;
  std::string_view cold_by;
  std::string_view metric;  // throughput or latency; empty: not known
  double error_element = kUnknown;
  double least_median_s = kUnknown;  // of a disturbed result: the least median that is possible
};

// A metric that a kernel or its GPUs counted; see the table `metric`.
struct MetricRecord {
  std::string_view name;
  double value = 0;
  Better better = Better::unknown;  // as declared by the variant; unknown: the name decides
  std::string_view unit;            // empty: the unit is the end of the name
};

// One attempt at a job and its result.
struct AttemptRecord {
  AttemptId attempt;
  // True: this attempt gives the job its outcome. False: it is stored, but the job will be retried.
  bool final = true;

  std::uint64_t point = 0;        // position of the point in the sweep
  std::span<const Value> values;  // of the point, one per SweepRecord::columns
  std::string_view variant;       // only used if the sweep has no column `variant`
  Digest key;                     // of the job (Expansion::key_of)
  Cache cache = Cache::hot;
  std::uint32_t process = 0;  // index of the independent process, from 0

  HostId host;
  SoftwareId software;
  Outcome outcome = Outcome::ok;
  std::string_view reason;  // why it failed; empty if the outcome is ok
  std::string_view stderr_tail;

  double sent_unix_s = kUnknown;      // when the coordinator sent it: seconds since 1970-01-01 UTC
  double finished_unix_s = kUnknown;  // when the attempt ended: seconds since 1970-01-01 UTC
  std::uint32_t session = 0;          // WorkerId of the worker's session; 0: never sent, or not known
  double queue_s = kUnknown;          // from being sent to being started
  double setup_s = kUnknown;          // prepare and verify
  double lease_wait_s = kUnknown;     // from being ready to having the lease
  double run_s = kUnknown;            // warm-up and samples
  // For attempts of 10 ms and more: parts of setup_s, the time after run_s, and the start of the process if
  // this was its first attempt.
  double inputs_s = kUnknown, reference_s = kUnknown, verify_s = kUnknown, check_s = kUnknown;
  double start_s = kUnknown;
  std::uint32_t slot = 0;   // number of the process, as the host had it; 0: not known
  std::uint64_t order = 0;  // position in the order of sending, from 1; 0: not known
  std::uint64_t warmup_runs = 0;
  double warmup_s = kUnknown;  // time of the warm-up runs
  double first_call_s = kUnknown;
  std::uint64_t calls_per_sample = 1;

  std::optional<Summary> summary;   // of the samples, in seconds per call; nullopt: nothing was measured
  std::span<const double> samples;  // seconds per call, in the order measured
  double gflops = kUnknown;         // 1e9 floating point (or integer) operations per second, of the median
  double gbps = kUnknown;           // 1e9 bytes per second, of the median
  double flops = kUnknown;          // operations of one call
  double bytes = kUnknown;          // compulsory traffic of one call
  double error = kUnknown;          // largest deviation from the reference, relative to its largest value
  double tolerance = kUnknown;      // the largest `error` that is accepted
  std::string_view output_hash;     // hexadecimal; empty: none
  std::string_view verified_by;     // what the output was compared with; empty: nothing
  std::string_view distrust;        // how a distrusted kernel was isolated, as JSON; empty: it was trusted
  std::string_view output_sample;   // of an output without reference (shared/base/output_sample.hpp)

  char grade = 0;                                // 'A', 'B', 'C', 'X'; 0: not graded
  std::string_view grade_reasons;                // one per line
  std::string_view notes;                        // one per line; they do not change the grade
  DoubtCause doubt_cause = DoubtCause::unknown;  // cause of the first reason, if that is a doubt
  std::string_view runtime;                      // what the library reports about itself
  std::string_view affinity;                     // cores of the process, read back
  std::string_view gpus;                         // of the process (shared/lists/gpu_lines.hpp)
  std::string_view environment;         // variables of the sweep file (shared/lists/variable_lines.hpp)
  std::string_view thread_environment;  // variables about threads that the process had
  std::string_view inputs;              // by content (shared/lists/input_list.hpp)
  std::string_view stopped_by;          // why sampling ended: noise, stable, max_samples, max_time
  double noise = kUnknown;              // last error of the median that the stopping rule computed
  std::optional<bool> repeatable;       // true: all hashed outputs were equal; nullopt: not known
  bool quick = false;
  std::optional<ConditionsRecord> conditions;  // nullopt: the job was not watched
  std::span<const MetricRecord> metrics;       // with distinct names
};

// A job that is not measured, because a result with the same key (`from`) is reused.
struct ReuseRecord {
  JobId job;
  std::uint64_t point = 0;
  std::span<const Value> values;
  std::string_view variant;
  Digest key;
  Cache cache = Cache::hot;
  std::uint32_t process = 0;
  ResultId from;
};

}  // namespace kernsweep
