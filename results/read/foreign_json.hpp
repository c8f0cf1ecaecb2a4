// Shared parts of the readers of foreign forms (foreign_results.hpp): members of JSON with their paths, and
// runs of one process.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "results/read/foreign_file.hpp"
#include "results/read/foreign_results.hpp"

namespace kernsweep {

// The number times `unit`; finite and above zero. Error: what it is instead, and its path.
Result<double> positive(const ForeignJson& value, const std::string& path, double unit = 1);
// Error: `object` is not an object, or has no text with that name.
Result<std::string> text_member(const ForeignJson& object, const char* name, const std::string& path);
// Error: there are more parameters than are supported.
Status few_columns(std::size_t columns);
// Null, a boolean, a number or a text; for lists and objects their JSON text.
Value value_of(const ForeignJson& json);

// Runs that the file assigns only to one process: each run is one point with one job.
class ForeignRuns {
 public:
  struct Run {
    std::vector<Value> values;              // of the sweep's columns
    std::vector<double> samples;            // seconds per call
    std::vector<double> instead;            // a median or a mean; used if there are no samples
    double gflops = 0, gbps = 0;            // 1e9 per second, for that or for the samples; 0: not given
    std::uint64_t calls = 1;                // in a sample
    Outcome outcome = Outcome::failed_run;  // how it failed, if there is no time
    std::string failure;                    // why
    bool odd = false;                       // it failed because its row is not valid in its form
    std::vector<ForeignMetric> metrics;
    std::string odd_rate;  // "GFLOP/s is -5": left out; empty: none

    // Makes it a failed run because its row is not valid in its form.
    void spoil(const std::string& why);
    // A value other than the time, with any name. A rate gives the work of a call; other numbers are
    // metrics, unless their name cannot be one or was used before.
    void add_number(const std::string& name, const ForeignJson& value, const std::string& unit);
  };
  // The run of that key, and whether it is new.
  std::pair<Run&, bool> of(const std::string& key);
  // Adds the measurement of a configuration by a tuner. A tuner takes the times of a repeated configuration
  // from its cache, so an equal entry counts once.
  void add(Run configuration);
  std::size_t twice() const { return twice_; }  // number of such entries
  // How many points with times also have failed runs, with the reason of the first: a line after a line
  // break; empty: none.
  std::string failed_too_in_words() const;
  // The same for those with an `odd_rate`.
  std::string odd_rates_in_words() const;
  void fill(ForeignSweep& sweep);

 private:
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> numbers_;
  std::size_t twice_ = 0;
};

// What files of tuners do not contain, as ForeignSweep::lacks.
std::string tuner_lacks(const ForeignRuns& runs);

// The forms. `file`: parsed; errors as for read_foreign_results.
Result<ForeignSweep> read_hyperfine(const ForeignJson& file);
Result<ForeignSweep> read_google_benchmark(const ForeignJson& file);
Result<ForeignSweep> read_kernel_tuner(const ForeignFile& file);
Result<ForeignSweep> read_t4(const ForeignJson& file);

// Requires a file with a list `results`.
bool is_of_hyperfine_2(const ForeignJson& file);
// Its `results` in the form of hyperfine 1. A name becomes the command; if different commands have one
// name, the command is added to it. A value that is not a time in a known unit becomes a text or null.
ForeignJson as_of_hyperfine_1(const ForeignJson& results);

}  // namespace kernsweep
