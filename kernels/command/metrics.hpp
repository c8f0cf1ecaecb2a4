// The numbers that a sweep's `metrics` takes out of a program that knows nothing of Kernsweep.
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
  // Nothing: the point has none.
  static std::unique_ptr<Metrics> of(const ks_params& params);

  // Lets the run keep what is read of it.
  void prepare(ProcessRun& runs, Report& report) const;
  // A file that the run does not write must not be read as if it were this run's.
  void before_run() const;
  // Reads the numbers of the run that has ended. Returns what is wrong; empty: nothing.
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
