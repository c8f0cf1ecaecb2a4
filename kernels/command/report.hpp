// The stdout of a command: its output, and lines for Kernsweep in between.
//
// A line that begins with `kernsweep:` holds words of the form name=number: seconds (takes the place of the
// process's wall clock), flops and bytes (the work of the run), metric.NAME (what else was counted), and
// better.NAME=larger|smaller and unit.NAME=text of such a metric. Any other word there is an error, so that
// a slip is not taken for output. Lines arrive in pieces of any size; of the rest only the end is kept.
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

  // How much of the output is kept from now on: kKeptBytes unless it is said.
  void keep(std::size_t most) { kept_bytes_ = most; }
  // More was printed in this run than is kept.
  bool is_cut() const { return is_cut_; }
  // Prepares for the next run. Keeps allocated memory.
  void clear();
  void add(std::string_view bytes);
  // To be called after the last bytes: the last line may lack its newline.
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

  // The last part of the output, without lines for Kernsweep.
  std::string_view output() const;

 private:
  void add_output(std::string_view bytes);
  void end_line();
  void read_words(std::string_view words);
  bool read_word(std::string_view name, std::string_view value);
  Metric* metric_named(std::string_view name);

  enum class Line { undecided, output, ours } kind_ = Line::undecided;
  std::string line_;  // the present line, while it may be, or is, a line for Kernsweep
  std::string output_;
  std::size_t kept_bytes_ = kKeptBytes;
  bool is_cut_ = false;
};

}  // namespace kernsweep::command
