// What the store is told: one plain record for each thing that it remembers.
//
// Records are given for the length of one call: texts and spans are views, copied or interned by the store
// before it returns. Units stand in the names; a number that is not known is NaN (kUnknown) and becomes
// NULL.
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

// The number that `kernsweep show` takes: every attempt has one, never used twice within a database.
using ResultId = Id<struct ResultTag, std::uint64_t>;
// host.id and software.id; 0: none (nothing was measured, or not known).
using HostId = Id<struct HostTag, std::uint32_t>;
using SoftwareId = Id<struct SoftwareTag, std::uint32_t>;

enum class SweepState : std::uint8_t { running = 1, finished, stopped, cancelled, superseded };
std::string_view name_of(SweepState state);
std::optional<SweepState> sweep_state_named(std::string_view name);

// A sweep as its coordinator read it. Two records of equal `identity` are the same sweep.
struct SweepRecord {
  std::string name;
  std::string kernel;        // family, command line or python reference
  std::string file;          // path as given
  std::string text;          // the file as read
  std::string replacements;  // from the command line, and the order of jobs, in the coordinator's own form
  std::map<std::string, std::string> tags;
  std::vector<std::string> columns;  // names of a point's values: axes, fields of records, derived values
  // How many of the first columns are parameters; the rest are derived. Only parameters tell points apart.
  std::size_t parameter_count = std::numeric_limits<std::size_t>::max();
  std::uint64_t seed = 0;
  std::uint64_t raw_points = 0;  // before filtering
  std::uint64_t raw_jobs = 0;
  std::uint32_t processes = 1;
  bool quick = false;
  Digest identity;                   // over everything that decides what is measured
  double started_unix_s = kUnknown;  // time of day, seconds since 1970-01-01 UTC
  std::vector<TextFile> files;  // tables that it reads, each path once: nothing else is needed to go on
  std::int32_t priority = 0;    // larger goes first
  bool submitted = false;       // came from a client: see Store::to_be_continued
};

struct StoredSweep {
  SweepId id;
  SweepState state = SweepState::running;
  SweepRecord record;
  std::uint64_t answered_jobs = 0;  // jobs that have an outcome
  std::uint64_t accepted_jobs = 0;  // jobs whose outcome is ok
};

// A machine as it was when it joined. Equal fingerprints are the same host. No names of users, no
// addresses.
struct HostRecord {
  Digest fingerprint;
  std::string name;  // the host's own name
  std::string cpu;   // model as the processor says it
  std::string architecture;
  std::string os;         // distribution and version
  std::string os_kernel;  // release of the operating system's kernel
  std::string microcode;
  std::string governor;  // frequency governor; empty: none or unknown
  // As in `text`; empty: not shown by that system.
  std::string cpu_vendor, cpu_family, cpu_model_number, cpu_stepping, isa, caches, numa_layout;
  std::string hypervisor, container, frequency_khz, turbo, huge_pages, address_randomisation;
  std::string numa_balancing, swap, limits, mitigations;
  std::uint32_t sockets = 0, numa_nodes = 0, cores = 0, threads = 0;
  std::uint64_t memory_bytes = 0;
  std::string text;  // the whole canonical text that the fingerprint hashes
};

// What measured: our version, the pack, the libraries by content. Equal identities are the same software.
struct SoftwareRecord {
  Digest identity;
  std::string version;          // of kernsweep
  std::string git;              // state of its sources
  std::string compiler, flags;  // of its build
  std::string pack;             // "gemm"
  std::string pack_version;
  std::string pack_build;     // compiler and flags, as the pack tells
  std::string pack_build_id;  // of the shared object; empty: none or unknown
  std::string libraries;      // one per line (shared/lists/library_lines.hpp)
  std::string sources;        // what ran and was read, one per line (shared/lists/source_lines.hpp)
};

// An input tensor, by content.
struct InputRecord {
  Digest hash;
  std::string name;                   // operand ("A")
  std::string source;                 // "uniform(-1, 1) seed 7" or "weights.npy"
  std::string generator;              // name and version; empty: from a file
  std::optional<std::uint64_t> seed;  // absent: from a file, or not known
  std::string identity;               // hexadecimal; hash over what it was made from
  std::string dtype;                  // empty: not known; then neither are shape and seed
  std::string shape;                  // "2048x2048"
  std::uint64_t bytes = 0;
};

// What it was like while an attempt was measured; see the table `conditions`.
struct ConditionsRecord {
  double clock_ghz = kUnknown, clock_low = kUnknown;
  bool measured = false;  // false: it was only verified; what belongs to samples is NULL
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
};

// What else was counted; see the table `metric`.
struct MetricRecord {
  std::string_view name;
  double value = 0;
  Better better = Better::unknown;  // as it was declared; unknown: as the name says
  std::string_view unit;            // empty: as the name says
};

// One try at a job and what came of it.
struct AttemptRecord {
  AttemptId attempt;
  // True: this is the outcome of the job. False: kept as a row, but the job will be tried again.
  bool final = true;

  std::uint64_t point = 0;        // position of the point in the sweep
  std::span<const Value> values;  // of the point, one per SweepRecord::columns
  std::string_view variant;       // only read when the sweep has no column `variant`
  Digest key;                     // what was measured (Expansion::key_of)
  Cache cache = Cache::hot;
  std::uint32_t process = 0;  // ordinal of the independent process, from 0

  HostId host;
  SoftwareId software;
  Outcome outcome = Outcome::ok;
  std::string_view reason;  // why not ok; empty when ok
  std::string_view stderr_tail;

  double sent_unix_s = kUnknown;      // time of day when the coordinator sent it
  double finished_unix_s = kUnknown;  // time of day when the attempt ended
  std::uint32_t session = 0;          // WorkerId of the worker's session; 0: never sent, or not known
  double queue_s = kUnknown;          // from being sent to being started
  double setup_s = kUnknown;          // prepare and verify
  double lease_wait_s = kUnknown;     // from being ready to having the lease
  double run_s = kUnknown;            // warm-up and samples
  std::uint64_t order = 0;            // position in which it was handed out, from 1; 0: unknown
  std::uint64_t warmup_runs = 0;
  double warmup_s = kUnknown;  // time of these
  std::uint64_t calls_per_sample = 1;

  std::optional<Summary> summary;   // of the samples, in seconds per call; none: nothing was measured
  std::span<const double> samples;  // seconds per call, in the order measured
  double gflops = kUnknown;         // 1e9 floating point (or integer) operations per second, of the median
  double gbps = kUnknown;           // 1e9 bytes per second, of the median
  double flops = kUnknown;          // operations of one call
  double bytes = kUnknown;          // compulsory traffic of one call
  double error = kUnknown;          // largest deviation from the reference, relative to its largest value
  double tolerance = kUnknown;      // what `error` was held against
  std::string_view output_hash;     // hexadecimal; empty: none

  char grade = 0;                                // 'A', 'B', 'C', 'X'; 0: not graded
  std::string_view grade_reasons;                // one per line
  DoubtCause doubt_cause = DoubtCause::unknown;  // of the first of these, where it is a doubt
  std::string_view runtime;                      // what the library says it is and does
  std::string_view affinity;                     // cores of the process, read back
  std::string_view gpus;                         // of the process (shared/lists/gpu_lines.hpp)
  std::string_view environment;         // what the sweep file asks for (shared/lists/variable_lines.hpp)
  std::string_view thread_environment;  // as it had them: variables that decide about threads
  std::string_view inputs;              // by content (shared/lists/input_list.hpp)
  std::string_view stopped_by;          // why sampling ended: noise, stable, max_samples, max_time
  double noise = kUnknown;              // relative standard deviation, as the stopping rule saw it last
  std::optional<bool> repeatable;       // whether all hashed outputs were the same; none: not known
  bool quick = false;
  std::optional<ConditionsRecord> conditions;  // none: too short to be watched
  std::span<const MetricRecord> metrics;       // no name twice
};

// A job that needs no measuring, because the same key has been measured before.
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
