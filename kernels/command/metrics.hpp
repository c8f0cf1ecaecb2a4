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
  // Reads the numbers of the last run. Returns what is wrong; empty: nothing.
  std::string after_run(const ProcessRun& runs, Report& report);
  // All samples of that run; empty: `report.seconds` is the only one.
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
