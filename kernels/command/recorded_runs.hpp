// What the runs of a job printed, so that jobs for other rows of the same command read these runs and do
// not run it again. Kept in this process, by the number that the slot gives to the job that ran the
// command.
//
// Recordings take at most kMostBytes together: the oldest are removed first, and one that is larger by
// itself is not kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/command/report.hpp"

namespace kernsweep::command {

struct RecordedRun {
  Report report;     // before the numbers of the sweep's `metrics` were added
  std::string text;  // what `metrics` reads; empty: the output of `report`
  double wall_s = 0, waited_s = -1;

  std::size_t bytes() const { return report.output().size() + text.size(); }
};

class Recording {
 public:
  static constexpr std::size_t kMostBytes = 64 << 20;

  // Makes an empty one, in place of an earlier one of this number.
  static std::shared_ptr<Recording> begin(std::int64_t number);
  // Null: there is none, or it was removed.
  static std::shared_ptr<const Recording> find(std::int64_t number);

  void add(RecordedRun run);
  const std::vector<RecordedRun>& runs() const { return runs_; }
  // The run after these failed, for every row.
  void end(std::string failure) { failure_ = std::move(failure); }
  const std::string& failure() const { return failure_; }

 private:
  std::vector<RecordedRun> runs_;
  std::string failure_;
  std::size_t bytes_ = 0;
  bool is_too_large_ = false;
};

}  // namespace kernsweep::command
