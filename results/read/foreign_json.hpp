// What the readers of the foreign forms share (foreign_results.hpp): members of JSON with their paths, and
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

// The number times `unit`; finite and above zero. Error: it is something else, what, and its path.
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
    bool odd = false;                       // it failed because its row is not as the form says
    std::vector<ForeignMetric> metrics;

    // Its row is not as the form says: it is a failed run for that reason.
    void spoil(const std::string& why);
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
  // Of how many points with times other runs failed, and why first: a line after a line break; empty: none.
  std::string failed_too_in_words() const;
  void fill(ForeignSweep& sweep);

 private:
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> numbers_;
  std::size_t twice_ = 0;
};

// What tuners keep to themselves, as ForeignSweep::lacks.
std::string tuner_lacks(const ForeignRuns& runs);

// The forms. `file`: parsed; errors as of read_foreign_results.
Result<ForeignSweep> read_hyperfine(const ForeignJson& file);
Result<ForeignSweep> read_google_benchmark(const ForeignJson& file);
Result<ForeignSweep> read_kernel_tuner(const ForeignFile& file);
Result<ForeignSweep> read_t4(const ForeignJson& file);

// Of a file with a list `results`.
bool is_of_hyperfine_2(const ForeignJson& file);
// Its `results` as hyperfine 1 writes them. A name becomes the command; the command is added to a name that
// unlike commands have in common. What is no time in a known unit becomes a text or null.
ForeignJson as_of_hyperfine_1(const ForeignJson& results);

}  // namespace kernsweep
