// Runs a sweep with its progress on stderr: on this machine alone with a worker of its own, or on the
// workers that connect.
#pragma once

#include <string>
#include <vector>

#include "cli/grammar/command.hpp"
#include "coordinator/net/coordinator.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The options of run_here(); the defaults are those of `kernsweep run FILE`.
struct LocalRun {
  std::string database;       // path; created if it does not exist
  Replacements replacements;  // with which the expansion was read; stored in the database for `resume`
  Again again = Again::no;    // which jobs are measured again although they have a result
  std::vector<std::string> worker_options;  // words for the worker's command line
  bool quiet = false;                       // no progress, no notes
};

// The options that make a worker log as this program does.
std::vector<std::string> logging_options(const Invocation& given);

// Measures the sweep on this machine: runs a coordinator in this thread and one worker as a process of its
// own. They communicate over an abstract Unix socket, which leaves no file and which a random token
// protects. Returns after the sweep and the worker have ended; the worker is killed if it takes longer than
// a second. A worker that ends too early is restarted, at most five times.
//
// Shows progress as coordinate_watched() does. Errors: the worker could not be started, and those of
// coordinate(); then nothing was measured, and no worker is left.
Result<SweepSummary> run_here(const LocalRun& run, const Expansion& expansion);

// Runs coordinate() and prints on stderr the notes of the expansion, then the progress: on a terminal one
// line that is rewritten and finally removed, else plain lines. `quiet`: prints none of these. If the
// database could not be written (`failure` of the summary), this is always printed, because results since
// then are lost. `expansion` null: a coordinator to which clients submit sweeps.
Result<CoordinatorSummary> coordinate_watched(const CoordinatorConfig& config, const Expansion* expansion,
                                              bool quiet);

}  // namespace kernsweep
