// Whole runs of the real binary on sweeps of `noop`, whose kernel does nothing: what is left is Kernsweep.
//
// Each function starts processes, checks in the database that every job has exactly one row that is ok, and
// throws std::runtime_error with what it found instead.
#pragma once

#include <cstdint>
#include <string>

#include "tests/bench/end_to_end/program.hpp"

namespace kernsweep::bench {

struct Place {
  std::string kernsweep;  // the binary
  std::string folder;     // on the disk that databases are to be measured on; ours alone
};

struct NoopRun {
  double jobs_per_s = 0;                // from the beginning to the end of the sweep, as its row says
  double whole_jobs_per_s = 0;          // from exec to exit of `run --quiet`
  double findings_s = 0;                // what `run --json` takes longer: findings and the answer
  double bytes_per_job = 0;             // of the database
  std::uint64_t peak_memory_bytes = 0;  // of the coordinator
  ProcessorTimes times;                 // of `run --quiet`
};

// `jobs` jobs into a new database of that name, which is left behind.
NoopRun run_noop(const Place& place, const std::string& database, std::uint64_t jobs);

// Peak memory of a coordinator whose first jobs are done while the rest of `points` points wait.
std::uint64_t coordinator_peak_bytes(const Place& place, std::uint64_t points);

}  // namespace kernsweep::bench
