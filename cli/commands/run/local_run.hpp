// Running a sweep as a person sees it: with progress on stderr, and where this machine is all there is,
// with a worker of its own.
#pragma once

#include <string>
#include <vector>

#include "cli/grammar/command.hpp"
#include "coordinator/net/coordinator.hpp"
#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// What `run_here` is to do with the sweep; the defaults are those of `kernsweep run FILE`.
struct LocalRun {
  std::string database;       // made when it is not there
  Replacements replacements;  // those that the expansion was read with; kept in the database for `resume`
  bool again = false;         // measure what is measured already
  std::vector<std::string> worker_options;  // how the worker logs: see logging_options()
  bool quiet = false;                       // no progress, no notes
};

// Options by which a worker logs as this program was told to.
std::vector<std::string> logging_options(const Invocation& given);

// Measures the sweep on this machine: a coordinator in this thread and one worker as a process of its own,
// which talk over a socket that leaves no file and that nobody else can join. Returns when the sweep has
// ended and the worker too: by itself, or killed after a second. A worker that dies earlier is started
// again, a few times.
//
// Progress is shown as `coordinate_watched` says. Error: the worker could not be started, or what
// `coordinate` says; nothing was measured then, and no worker is left.
Result<SweepSummary> run_here(const LocalRun& asked, const Expansion& expansion);

// `coordinate`, watched: the notes of the expansion, then the progress (one line rewritten on a terminal,
// plain lines elsewhere), gone when it returns. Quiet: none of these. A database that could not be written
// (`failure` of the summary) is said on stderr even when quiet: what was measured since is not kept.
// Without `expansion`: a coordinator to which clients bring sweeps.
Result<CoordinatorSummary> coordinate_watched(const CoordinatorConfig& config, const Expansion* expansion,
                                              bool quiet);

}  // namespace kernsweep
