#include "kernels/command/beside.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include "kernels/command/executable.hpp"
#include "kernels/command/process_run.hpp"
#include "kernels/command/report.hpp"
#include "shared/text/command_line.hpp"

namespace kernsweep::command {
namespace {

std::string& last_failure() {
  static std::string failure;
  return failure;
}

}  // namespace

std::string run_beside(const std::string& what, const std::string& line) {
  auto words = command_words(line);
  if (!words || words->empty()) return what + ": a quote is not closed: " + line;
  const Executable found = find_executable(words->front());
  if (found.path.empty()) return what + ": " + found.reason;
  ProcessRun runs(found.path, std::move(*words));
  Report report;
  const std::string& failure = runs.run(report);
  return failure.empty() ? "" : what + ": " + failure;
}

Cleanup::~Cleanup() {
  if (line_.empty()) return;
  std::string failure = run_beside("cleanup", line_);
  if (failure.empty()) return;
  std::fprintf(stderr, "kernsweep: %s\n", failure.c_str());
  last_failure() = std::move(failure);
}

std::string Cleanup::take_failure() {
  return std::exchange(last_failure(), "");
}

}  // namespace kernsweep::command
