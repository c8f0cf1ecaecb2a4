// Evaluates the results of a sweep, and decides what to run next (coordinator/policy/decide.hpp).
//
// A thread of its own reads the database, because that may take seconds. The decision is stored before the
// core gets it, so a restarted coordinator continues with the same one.
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
  bool out_of_time = false;           // as in DecideState
  // The limits of processes beyond those of each point: their total time and number; 0: as in
  // ProcessBudget.
  double budget_s = 0;
  std::uint64_t budget_jobs = 0, further_jobs = 0;  // further_jobs: requested so far
  std::uint32_t jobs_of_process = 1;                // as in DecideState
};
struct ContestAnswer {
  SweepId sweep;
  AskedRound round;
  std::uint64_t open = 0;  // contests
};
// If the database cannot be read, nothing more is requested, with that reason.
std::optional<ContestAnswer> look_at_contests(const ContestQuestion& question);
using Decider = AnsweringThread<ContestQuestion, ContestAnswer>;

}  // namespace kernsweep::coordinator
