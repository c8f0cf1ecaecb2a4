// One stored job with all data that is needed to measure it again.
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
  // The sweep that was named, even if it reused the result of another sweep. If only a number was given:
  // the newest sweep that has this result. The counts of jobs are not filled in.
  StoredSweep sweep;
  std::uint64_t job = 0, point = 0;
  std::string cache;  // hot or cold
  std::uint32_t process = 0;
  std::string status;
  std::string key;          // in hexadecimal digits
  std::string output_hash;  // empty: none, or the attempt was followed by another one
  double median_s = 0;      // NaN: nothing was measured
  std::string affinity;     // cores of the process, "0-1"; empty: not known
  std::string gpus;         // of the process, one per line; each line begins with the UUID
  double finished_unix_s = 0;
  std::string host, cpu;           // empty: the job was never sent to a host
  std::string fingerprint;         // of the host, in hexadecimal digits
  std::vector<NamedValue> values;  // of the point, derived values included
  bool measured() const { return status == "ok"; }
};

// The number of a result. `which` is a number, which is returned without a query, or "<sweep>/<job>" with a
// sweep in the form of Reader::find_sweep ("/7": job 7 of the newest sweep). Errors: it has neither form,
// there is no such sweep, the job has no outcome.
Result<std::uint64_t> result_number(Reader& reader, const std::string& which);

// The message of an error: "runs.db: there is no result 99; the last one is 18" (or "it has none yet").
std::string no_such_result(Reader& reader, std::uint64_t number);

// `which` as in result_number(). Errors: those of result_number(), and there is no such result.
Result<StoredJob> stored_job(Reader& reader, const std::string& which);

}  // namespace kernsweep
