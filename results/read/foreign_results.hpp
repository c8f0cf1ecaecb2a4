// Results that another program has written: the JSON of hyperfine and of programs of Google Benchmark,
// cache files of Kernel Tuner, and T4 results of tuners.
//
// hyperfine restarts its command for each time, so each time is a process of its own, and what `best`
// and `compare` need is there. The parameters of a scan are columns; where the command that was typed can
// be told from those that ran, it is the variant, such as "sort --parallel {threads} data". Google
// Benchmark repeats within one process: its repetitions are samples of one process, and nothing is decided
// between benchmarks. Of aggregates alone the median is one sample.
//
// Tuners measure all configurations in one process, too: each parameter is a column, each time a sample. A
// configuration that stands there again adds its times, unless they are the same ones.
//
// A row that is not as its form says, such as a time of 0, NaN or null, is a failed run with the reason;
// one that does not say what it is of is left out. A file that was cut off, or is still being written, is
// read up to its last whole row. `lacks` says all this.
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

// What else was measured.
struct ForeignMetric {
  std::string name;  // as in the table `metric`
  double value = 0;
  std::string unit;  // empty: the file does not say
};

// One process of one point.
struct ForeignJob {
  std::uint64_t point = 0;  // from 0
  std::uint32_t process = 0;
  std::vector<double> seconds;  // samples, per call; empty: it failed
  std::uint64_t calls_per_sample = 1;
  Outcome outcome = Outcome::failed_run;  // how it failed; counts only without samples
  std::string failure;                    // why it failed
  bool odd = false;                       // because its row is not as the form says
  std::vector<ForeignMetric> metrics;     // with distinct names
  double flops = 0, bytes = 0;            // of one call; 0: the file does not tell
};

struct ForeignSweep {
  std::string tool;  // "hyperfine", "google benchmark", "kernel tuner", "T4"
  std::string host;  // empty: the file does not say
  std::uint32_t host_threads = 0;
  std::string variant;  // of all points, where no column is called so; empty: the file does not say
  std::vector<std::string> columns;          // may have `variant`
  std::vector<std::optional<bool>> problem;  // as SweepRecord::problem
  std::vector<std::vector<Value>> points;    // values of the columns
  std::vector<ForeignJob> jobs;
  std::uint32_t processes = 1;        // the most that a point has
  std::vector<std::string> left_out;  // why a row is no job: it does not say what it is of
  std::string no_times;               // why no row may have a time, and what to do; empty: not known
  std::string lacks;                  // what the form does not hold, a sentence; empty: nothing to say
};

// `text`: the whole file. Errors: it is no JSON (line and column); it is none of these forms, and what it
// looks like; what is said of all rows is missing or wrong; no row is usable, and why the first is not (the
// path of the member, such as results[2].times[4]).
Result<ForeignSweep> read_foreign_results(std::string_view text);

}  // namespace kernsweep
