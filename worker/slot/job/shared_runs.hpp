// The runs of commands that jobs of this slot process have measured, for jobs of other rows.
//
// A command may print a table; with `rows_by` each row is a point. The first job of a block runs the
// command; the jobs of its other rows read the same runs, with the conditions of that job. A slot process
// measures one block. A row that a run has served already runs the command again, so no row gets one run
// twice, and two points with the same command and row have runs of their own.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "shared/base/digest.hpp"
#include "shared/base/output_sample.hpp"
#include "shared/wire/protocol.pb.h"

namespace kernsweep {

struct SharedRun {
  std::int64_t number = 0;  // of its recording: kernels/command/recorded_runs.hpp
  std::string command;      // all that decides what is run
  std::set<std::string> rows;
  std::string first_row;
  wire::OutcomeBody result;  // of the first job, without the metrics of its row
  bool is_throttled = false;
  bool fails = false;   // its last run failed
  double median_s = 0;  // of the first row
  std::vector<std::uint64_t>
      runs;                    // that of each sample of the first row, ascending; of one that fails: all
  std::optional<Digest> hash;  // of the output
  std::optional<OutputSample> sample;
};

class SharedRuns {
 public:
  static constexpr std::size_t kMost = 64;

  // Null: the command must run for this row. The pointer is valid until the next call.
  SharedRun* find(const std::string& command, const std::string& row);
  // Replaces an earlier one of the command, and the oldest if there are too many.
  void keep(SharedRun run);
  void forget(const std::string& command);
  std::int64_t next_number() { return ++last_number_; }

 private:
  std::deque<SharedRun> runs_;
  std::int64_t last_number_ = 0;
};

}  // namespace kernsweep
