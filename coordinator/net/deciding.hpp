// Looks at what a sweep has measured, and decides what is to be run next (coordinator/policy/decide.hpp).
//
// A thread of its own reads the database, because that may take seconds. The decision is stored before the
// core learns of it, so a coordinator that is started again continues with the same one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "coordinator/policy/decide.hpp"
#include "results/store/records.hpp"
#include "shared/base/answering_thread.hpp"
#include "shared/base/ids.hpp"

namespace kernsweep::coordinator {

struct ContestQuestion {
  SweepId sweep;
  std::string database;               // path
  std::uint32_t asked = 0, most = 0;  // processes of a point
  bool out_of_time = false;           // as of DecideState
  // That processes beyond those of each point may take together, and be; 0: as ProcessBudget says.
  double budget_s = 0;
  std::uint64_t budget_jobs = 0, further_jobs = 0;  // further_jobs: asked for so far
  std::uint32_t jobs_of_process = 1;                // as of DecideState
};
struct ContestAnswer {
  SweepId sweep;
  AskedRound round;
  std::uint64_t open = 0;  // contests
};
// If the database cannot be read, nothing more is asked for, with that reason.
std::optional<ContestAnswer> look_at_contests(const ContestQuestion& question);
using Decider = AnsweringThread<ContestQuestion, ContestAnswer>;

}  // namespace kernsweep::coordinator
