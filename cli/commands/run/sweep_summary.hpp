// Prints the results of `run`, `resume` and `coordinator` at the end of a sweep.
#pragma once

#include <optional>
#include <string>

#include "cli/grammar/command.hpp"
#include "coordinator/net/coordinator.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

// The sweep that a command measures, and the database for its results.
struct SweepTask {
  std::optional<Expansion> expansion;  // nullopt: a coordinator to which clients submit sweeps
  Replacements replacements;           // with which the expansion was read
  std::string database;
};

// Error: the rules of the sweep reject every point. No error if the search takes longer than 30 s.
Status has_a_point(const Expansion& expansion);

// Reads a sweep file. Errors: those of Expansion::read and task_of.
Result<SweepTask> task_of_file(const std::string& file, const Replacements& replacements,
                               const std::string& database);
// If `database` is empty, it is "<name of the sweep>.db". Error: that of has_a_point.
Result<SweepTask> task_of(Expansion expansion, const Replacements& replacements,
                          const std::string& database);

// True if the sweep was stopped before its end and was not cancelled: it can be resumed.
bool goes_on(const SweepSummary& summary);

// The results that status 0 of a command requires: of every job, or of one job of each problem.
enum class Suffices { every_job, every_problem };

// The exit status of a command that measured the sweep into `database`. Reports if no point was left.
int exit_status(const SweepSummary& summary, const std::string& database,
                Suffices suffices = Suffices::every_job);

// How to print a summary.
struct SummaryStyle {
  bool json = false;
  bool quiet = false;        // true: without findings
  std::string how_to_go_on;  // the command that resumes the sweep if it was stopped
};
void print_summary(const SweepSummary& summary, const SweepTask& task, int status,
                   const SummaryStyle& style);

// The options of `run`, `bench` and `resume`.
struct RunRules {
  const Invocation& given;
  std::string memory, patience;  // of the worker; empty: the default
  Again again = Again::no;
  bool quiet = false, json = false;
  Suffices suffices = Suffices::every_job;
};
// Measures the sweep here and prints its summary. Requires an expansion. Returns the exit status.
int run_and_tell(const SweepTask& task, const RunRules& rules);

// "Stopped before the end. To go on: <how>".
void print_how_to_go_on(const std::string& how, bool time_limit);

}  // namespace kernsweep
