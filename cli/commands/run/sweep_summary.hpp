// What is said at the end of a sweep that `run`, `resume` or `coordinator` has measured.
#pragma once

#include <optional>
#include <string>

#include "cli/grammar/command.hpp"
#include "coordinator/net/coordinator.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

// What a command measures, and where to.
struct SweepTask {
  std::optional<Expansion> expansion;  // nothing: a coordinator to which clients bring sweeps
  Replacements replacements;           // with which it was read
  std::string database;
};

// Error: the rules of the sweep reject every point, as far as half a minute shows.
Status has_a_point(const Expansion& expansion);

// The sweep of a file; `database` empty: named after the sweep. Error: what Expansion::read says and
// has_a_point say.
Result<SweepTask> task_of_file(const std::string& file, const Replacements& replacements,
                               const std::string& database);

// Stopped before its end, and nobody has cancelled it.
bool goes_on(const SweepSummary& summary);

// The exit status of a command that measured it into `database`.
int exit_status(const SweepSummary& summary, const std::string& database);

// How to tell it.
struct SummaryStyle {
  bool json = false;
  bool quiet = false;        // no findings
  std::string how_to_go_on;  // the command, where it was stopped
};
void print_summary(const SweepSummary& summary, const SweepTask& task, int status,
                   const SummaryStyle& style);

// How `run` and `resume` measure.
struct RunRules {
  const Invocation& given;
  std::string memory;  // of the worker, as --memory has it; empty: the default
  bool again = false, quiet = false, json = false;
};
// Measures it on this machine and tells what came of it. Requires an expansion. Returns the exit status.
int run_and_tell(const SweepTask& task, const RunRules& rules);

// "Stopped before the end. To go on: <how>".
void print_how_to_go_on(const std::string& how, bool time_limit);

}  // namespace kernsweep
