// The stdout of a command: its output, and lines for Kernsweep in between.
//
// A line that begins with `kernsweep:` has words of the form name=number: seconds (replaces the process's
// wall clock), flops and bytes (the work of the run), metric.NAME (other counts), and
// better.NAME=larger|smaller and unit.NAME=text of such a metric. Blanks, colours and what a carriage
// return overwrites may be before it. Any other word there is an error, so that a typing error is not read
// as output. Lines arrive in pieces of any size; only the end of the other output is kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/pack.h"

namespace kernsweep::command {

class Report {
 public:
  static constexpr std::size_t kKeptBytes = 64 << 10;

  // How much of the output is kept from now on; default: kKeptBytes.
  void keep(std::size_t most) { kept_bytes_ = most; }
  // Whether more was printed in this run than is kept.
  bool is_cut() const { return is_cut_; }
  // Prepares for the next run. Keeps allocated memory.
  void clear();
  void add(std::string_view bytes);
  // Must be called after the last bytes: the last line may lack its newline.
  void finish();

  struct Metric {
    std::string name;
    std::optional<double> value;
    ks_better better = KS_BETTER_BY_NAME;
    std::string unit;
  };
  static constexpr std::size_t kMetricsMax = 32;

  std::optional<double> seconds, flops, bytes;
  std::vector<Metric> metrics;  // of this run; after finish() each has a value
  std::string error;            // what is wrong with the first invalid line; empty: nothing

  // The end of the output, without lines for Kernsweep.
  std::string_view output() const;

 private:
  void add_output(std::string_view bytes);
  void decide();
  void end_line();
  void read_words(std::string_view words);
  bool read_word(std::string_view name, std::string_view value);
  Metric* metric_named(std::string_view name);

  enum class Line { undecided, output, ours } kind_ = Line::undecided;
  std::string line_;  // the current line, while it may be, or is, a line for Kernsweep
  std::string output_;
  std::size_t kept_bytes_ = kKeptBytes;
  bool is_cut_ = false;
};

}  // namespace kernsweep::command
