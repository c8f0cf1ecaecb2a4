// One stored job: what it was, so that it can be had again.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "results/read/reader.hpp"

namespace kernsweep {

struct StoredJob {
  using NamedValue = std::pair<std::string, Value>;
  std::uint64_t result = 0;
  // That which was named, also where it took the result over from another; for a number alone the newest
  // that has it. Without the counts of jobs.
  StoredSweep sweep;
  std::uint64_t job = 0, point = 0;
  std::string cache;  // hot or cold
  std::uint32_t process = 0;
  std::string status;
  std::string key;          // in hexadecimal digits
  std::string output_hash;  // empty: none, or of an attempt that was followed by another
  double median_s = 0;      // NaN: none
  std::string affinity;     // "0-1"; empty: not known
  std::string gpus;         // of the process, one per line, each begins with its UUID
  double finished_unix_s = 0;
  std::string host, cpu;           // empty: it never came to a host
  std::string fingerprint;         // of the host, in hexadecimal digits
  std::vector<NamedValue> values;  // of the point by name, derived ones too
  bool measured() const { return status == "ok"; }
};

// The number of a result: a number, or "<sweep>/<job>" with a sweep as Reader::find_sweep takes it ("/7":
// job 7 of the newest). Errors: none of these forms, no such sweep, a job without an outcome.
Result<std::uint64_t> result_number(Reader& reader, const std::string& which);

// "runs.db: there is no result 99; the last one is 18", or that there is none yet.
std::string no_such_result(Reader& reader, std::uint64_t number);

// Errors: what result_number says, no such result, a job that has no outcome yet.
Result<StoredJob> stored_job(Reader& reader, const std::string& which);

}  // namespace kernsweep
