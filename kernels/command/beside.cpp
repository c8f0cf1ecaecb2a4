#include "kernels/command/beside.hpp"

#include <vector>

#include "kernels/command/process_run.hpp"
#include "kernels/command/report.hpp"
#include "shared/lists/end_notes.hpp"
#include "shared/lists/executable.hpp"
#include "shared/text/command_line.hpp"

namespace kernsweep::command {

std::string run_beside(const std::string& line) {
  auto words = command_words(line);
  if (!words || words->empty()) return "a quote is not closed: " + line;
  const Executable found = find_executable(words->front());
  if (found.path.empty()) return found.reason;
  ProcessRun runs(found.path, std::move(*words));
  Report report;
  return runs.run(report);
}

Cleanup::~Cleanup() {
  if (line_.empty()) return;
  const std::string failure = run_beside(line_);
  if (failure.empty() || !context_.explain) return;
  context_.explain(context_.host, (std::string(kCleanupFailed) + failure).c_str());
}

}  // namespace kernsweep::command
