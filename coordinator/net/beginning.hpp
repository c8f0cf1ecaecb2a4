// How a sweep begins: read, held against what workers can run, given its row in the database, and told what
// the database knows of its jobs already.
//
// Done by the store thread (or before there is one), because a sweep of a million stored jobs takes longer
// to begin than a heartbeat may wait.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "coordinator/core/core.hpp"
#include "language/check/catalogue.hpp"
#include "language/space/expansion.hpp"
#include "results/store/earlier_results.hpp"
#include "results/store/store.hpp"

namespace kernsweep::coordinator {

struct SweepOrder {
  std::shared_ptr<const Expansion> expansion;  // nothing: read from the following
  std::string text, file;
  std::vector<TextFile> tables;
  std::string replacements;  // as the database keeps them; the expansion, if there is one, is by them
  std::int32_t priority = 0;
  bool again = false;  // measure what is measured already
  // Begin it anew beside this sweep of the same text, of which something would be measured otherwise now;
  // what still holds is used. 0: no such sweep.
  SweepId supersedes;
  bool submitted = false;  // by a client: a coordinator that is started anew goes on with it
  // What workers that are here can run. The first that has the family decides whether the names and values
  // of the sweep make sense.
  std::vector<std::shared_ptr<const Catalogue>> catalogues;
};

struct SweepBegun {
  SweepId id;
  std::shared_ptr<const Expansion> expansion;
  SweepSubmitted event;       // without its space
  std::uint64_t earlier = 0;  // jobs that an earlier run of this sweep has answered
  // Whether these still hold must be known before it goes on: by what they were measured, and whether other
  // sweeps have results of the same kernel.
  std::vector<Origin> origins;
  // SweepSubmitted::measured_on, by the fingerprints of the hosts. Where there is only one, its jobs are
  // left out: they are all that are answered.
  std::map<std::string, AnsweredJobs> measured_on;
  bool others = false;
  bool finished = false;  // an earlier run has answered every job
  // As it was ordered, to begin it anew.
  std::string replacements;
  std::int32_t priority = 0;
  bool submitted = false;
  SweepId supersedes;
};

// Committed when it returns. Error: bad input, told as `kernsweep check` tells it, or a database that
// cannot be written; then the database has nothing of it.
Result<SweepBegun> begin_sweep(Store& store, SweepOrder& order);

// What the sweep means to a family as one of the catalogues tells it; fine when none has the family.
Status check_against_first(const Expansion& expansion,
                           const std::vector<std::shared_ptr<const Catalogue>>& catalogues);

}  // namespace kernsweep::coordinator
