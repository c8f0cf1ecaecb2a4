// Results of other programs: the JSON of hyperfine and of programs of Google Benchmark, cache files of
// Kernel Tuner, and T4 results of tuners.
//
// hyperfine restarts its command for each time, so each time is a process of its own, as `best` and
// `compare` need. The parameters of a scan are columns; if the typed command can be derived from those that
// ran, it is the variant, such as "sort --parallel {threads} data". Google Benchmark repeats within one
// process: its repetitions are samples of one process, so no benchmark is shown to be faster than another.
// If there are only aggregates, the median is one sample.
//
// Tuners measure all configurations in one process, too: each parameter is a column, each time a sample. A
// configuration that occurs again adds its times, unless they are equal.
//
// A row that is not valid in its form, such as a time of 0, NaN or null, is a failed run with the reason; a
// row that does not name its point is left out. A file that was truncated, or is still being written, is
// read up to its last complete row. `lacks` reports all this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/base/outcome.hpp"
#include "shared/base/result.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

// A number that was measured in addition to the time.
struct ForeignMetric {
  std::string name;  // as in the table `metric`
  double value = 0;
  std::string unit;  // empty: not in the file
};

// One process of one point.
struct ForeignJob {
  std::uint64_t point = 0;  // from 0
  std::uint32_t process = 0;
  std::vector<double> seconds;  // samples, per call; empty: it failed
  std::uint64_t calls_per_sample = 1;
  Outcome outcome = Outcome::failed_run;  // how it failed; counts only without samples
  std::string failure;                    // why it failed
  bool odd = false;                       // because its row is not valid in its form
  std::vector<ForeignMetric> metrics;     // with distinct names
  double flops = 0, bytes = 0;            // of one call; 0: not in the file
};

struct ForeignSweep {
  std::string tool;  // "hyperfine", "google benchmark", "kernel tuner", "T4"
  std::string host;  // empty: not in the file
  std::uint32_t host_threads = 0;
  std::string variant;               // of all points, if there is no such column; empty: not in the file
  std::vector<std::string> columns;  // may have `variant`
  std::vector<std::optional<bool>> problem;  // as SweepRecord::problem
  std::vector<std::vector<Value>> points;    // values of the columns
  std::vector<ForeignJob> jobs;
  std::uint32_t processes = 1;        // the largest number of any point
  std::vector<std::string> left_out;  // why a row is not a job: it does not name its point
  std::string no_times;               // why no row can have a time, and what to do; empty: not known
  std::string lacks;                  // what the form does not contain, a sentence; empty: nothing
};

// `text`: the whole file. Errors: it is not JSON (line and column); it has none of these forms (with a
// guess); a value for all rows is missing or wrong; no row is usable, and why the first is not (the path of
// the member, such as results[2].times[4]).
Result<ForeignSweep> read_foreign_results(std::string_view text);

}  // namespace kernsweep
