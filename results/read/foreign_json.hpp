// What the readers of the foreign forms share (foreign_results.hpp): members of JSON with their paths, and
// runs of one process.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "results/read/foreign_results.hpp"

namespace kernsweep {

using ForeignJson = nlohmann::ordered_json;

// The number times `unit`; finite and above zero. Error: it is something else, with its path.
Result<double> positive(const ForeignJson& value, const std::string& path, double unit = 1);
// Error: `object` is none, or has no text of that name.
Result<std::string> text_member(const ForeignJson& object, const char* name, const std::string& path);
// Error: so many parameters are more than are read.
Status few_columns(std::size_t columns);
// Null, a boolean, a number or a text; of lists and objects their JSON text.
Value value_of(const ForeignJson& json);

// Runs of which the file says no more than that they are of one process: each run is one point with one
// job.
class ForeignRuns {
 public:
  struct Run {
    std::vector<Value> values;              // of the sweep's columns
    std::vector<double> samples;            // seconds per call
    std::vector<double> instead;            // a median or a mean; taken where there are no samples
    double gflops = 0, gbps = 0;            // 1e9 per second, of that or of the samples; 0: not told
    std::uint64_t calls = 1;                // in a sample
    Outcome outcome = Outcome::failed_run;  // how it failed, where there is no time
    std::string failure;                    // why
    std::vector<ForeignMetric> metrics;

    // A number beside the time, of any name. A rate tells the work of a call; others are metrics, unless
    // their name cannot be one or was met before.
    void add_number(const std::string& name, double value, const std::string& unit);
  };
  // The run of that key, and whether it is new.
  std::pair<Run&, bool> of(const std::string& key);
  // Adds what a tuner has measured of a configuration. A tuner takes the times of a configuration that it
  // meets again from its cache: what stands there twice counts once.
  void add(Run configuration);
  std::size_t twice() const { return twice_; }  // how often that was
  // Of how many points with times other runs failed: a line after a line break; empty: of none.
  std::string failed_too_in_words() const;
  void fill(ForeignSweep& sweep);

 private:
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> numbers_;
  std::size_t twice_ = 0;
};

// What tuners keep to themselves, as ForeignSweep::lacks.
std::string tuner_lacks(const ForeignRuns& runs);

// A parsed file. The entries of `cache` of a cache file of Kernel Tuner are taken out one by one: there may
// be 100,000, and looking for a name in a ForeignJson takes as long as it has members.
struct ForeignFile {
  ForeignJson top;
  std::vector<std::pair<std::string, ForeignJson>> cache;
  bool closed = true;  // false: the braces at its end were missing (cache files of Kernel Tuner)
};
// Numbers that are none, as Python writes them, become null. Errors: it is no JSON, with line and column;
// it is nested too deep.
Result<ForeignFile> parse_foreign(std::string_view text);

// The forms. `results`, `file`: parsed; errors as of read_foreign_results.
Result<ForeignSweep> read_hyperfine(const ForeignJson& results);
Result<ForeignSweep> read_google_benchmark(const ForeignJson& file);
Result<ForeignSweep> read_kernel_tuner(const ForeignFile& file);
Result<ForeignSweep> read_t4(const ForeignJson& file);

}  // namespace kernsweep
