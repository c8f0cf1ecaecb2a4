#include "worker/slot/job/shared_runs.hpp"

#include <algorithm>
#include <utility>

namespace kernsweep {

SharedRun* SharedRuns::find(const std::string& command, const std::string& row) {
  const auto found = std::ranges::find(runs_, command, &SharedRun::command);
  return found == runs_.end() || found->rows.contains(row) ? nullptr : &*found;
}

void SharedRuns::keep(SharedRun run) {
  forget(run.command);
  if (runs_.size() == kMost) runs_.pop_front();
  runs_.push_back(std::move(run));
}

void SharedRuns::forget(const std::string& command) {
  std::erase_if(runs_, [&](const SharedRun& run) { return run.command == command; });
}

}  // namespace kernsweep
