// The numbers that a sweep's `metrics` reads from a program without support for Kernsweep.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/api/pack.h"
#include "kernels/command/printed.hpp"
#include "kernels/command/process_run.hpp"
#include "kernels/command/report.hpp"
#include "shared/lists/printed_values.hpp"

namespace kernsweep::command {

class Metrics {
 public:
  // Nothing: the point has no metrics.
  static std::unique_ptr<Metrics> of(const ks_params& params);

  // Makes the run keep the output that is read.
  void prepare(ProcessRun& runs, Report& report) const;
  // Prevents that an old file, which the run does not write, is read as its result.
  void before_run() const;
  // Gets what the last run wrote to where it is read, if that is not stdout: `report` has that. Returns
  // what is wrong, like the next one; empty: nothing.
  std::string take_text(const ProcessRun& runs, const Report& report, std::string& text) const;
  // Adds the numbers to `report`. `text`: as take_text() gave it.
  std::string read(const std::string& text, Report& report);
  // That each run writes; "": it prints the numbers.
  std::string file() const { return is_file() ? source_ : ""; }
  bool reads_stdout() const { return source_ == "stdout"; }
  // All samples of the run that was read last; empty: `report.seconds` is the only one.
  std::span<const double> samples() const { return samples_; }

 private:
  static constexpr std::size_t kReadMost = 64 << 20;

  bool is_file() const { return source_ != "stdout" && source_ != "stderr"; }
  std::string read_file(std::string& text) const;

  PrintedValues printed_;
  std::string source_ = "stdout";  // "stdout", "stderr" or a path
  WantedRow row_;
  std::string hint_;
  std::vector<double> samples_;
};

}  // namespace kernsweep::command
