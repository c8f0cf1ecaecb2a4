// Starts a sweep: reads it, checks it against the kernels of the workers, adds its row to the database, and
// finds which of its jobs are already stored.
//
// The store thread does this (or the caller, before it exists), because it takes longer than the time
// between heartbeats if a million jobs are stored.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/core.hpp"
#include "language/check/catalogue.hpp"
#include "language/space/expansion.hpp"
#include "results/store/earlier_results.hpp"
#include "results/store/store.hpp"
#include "shared/base/again.hpp"

namespace kernsweep::coordinator {

struct SweepOrder {
  std::shared_ptr<const Expansion> expansion;  // null: parse it from the following members
  std::string text, file;
  std::vector<TextFile> tables;
  std::string replacements;  // as stored in the database; if `expansion` is set, it has them already
  std::int32_t priority = 0;
  // Not `no`: start a new sweep. With `doubtful` it uses all results graded A or B that are still valid.
  Again again = Again::no;
  // A sweep of the same text some of whose results are no longer valid: start a new sweep, which uses the
  // valid ones. 0: no such sweep.
  SweepId supersedes;
  bool submitted = false;  // by a client: after a restart the coordinator resumes it
  // Catalogues of the connected workers. The first one with the family is used to check the sweep.
  std::vector<std::shared_ptr<const Catalogue>> catalogues;
};

struct SweepBegun {
  SweepId id;
  std::shared_ptr<const Expansion> expansion;
  SweepSubmitted event;       // without its space
  std::uint64_t earlier = 0;  // jobs that an earlier run of this sweep has answered
  // The origins of stored results of this sweep, and whether other sweeps have results of the same kernel.
  // These must be checked before the sweep continues.
  std::vector<Origin> origins;
  // SweepSubmitted::measured_on, by the fingerprints of the hosts. If there is only one, its set of jobs is
  // empty here: it has all answered jobs.
  std::map<std::string, AnsweredJobs> measured_on;
  bool others = false;
  bool finished = false;                // an earlier run has answered every job that was not left out
  std::optional<std::uint32_t> blocks;  // of a finished sweep that ends by the time of its points
  std::vector<AskedRound> rounds;       // the rounds that an earlier run requested
  // As in the SweepOrder; used to restart the sweep.
  std::string replacements;
  std::int32_t priority = 0;
  bool submitted = false;
  SweepId supersedes;
};

// When it returns, the sweep is committed. Error: bad input, with the message of `kernsweep check`, or a
// database that cannot be written; then nothing of the sweep is stored.
Result<SweepBegun> begin_sweep(Store& store, SweepOrder& order);

// Checks the sweep against the first catalogue that has its family. No error if none has it.
Status check_against_first(const Expansion& expansion,
                           const std::vector<std::shared_ptr<const Catalogue>>& catalogues);
// The columns that are the problem of the sweep (language/check/problem.hpp), by the same catalogue.
std::vector<std::optional<bool>> problem_by_first(
    const Expansion& expansion, const std::vector<std::shared_ptr<const Catalogue>>& catalogues);

}  // namespace kernsweep::coordinator
