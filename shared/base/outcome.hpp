// How an attempt ended. The names are stored in the database and are part of the interface.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kernsweep {

enum class Outcome : std::uint8_t {
  ok = 1,         // measured and verified: the only outcome with numbers that count
  unsupported,    // the variant reported before the run that it cannot run this point here, and why
  wrong_result,   // measured, but the output differs from the reference
  failed_setup,   // preparation failed: library missing, input unreadable, environment not as requested
  failed_run,     // the variant reported an error while running
  signal,         // the slot's process was ended by a signal, or exited
  timeout_setup,  // preparation and verification took longer than timeout.setup
  timeout_run,    // warm-up and samples took longer than timeout.run
  out_of_memory,
  worker_lost,   // the worker sent nothing for too long, closed its connection, or lost the GPU of the job
  cancelled,     // stopped by the user
  unplaceable,   // no host ever satisfied what the job requires
  skipped,       // not tried, for the stated reason (time limit of the sweep reached, host drained)
  failed_build,  // what the sweep's `build` describes could not be built on the host that measures
};

inline constexpr Outcome kLastOutcome = Outcome::failed_build;

std::string_view name_of(Outcome outcome);
// Returns nothing for an unknown name.
std::optional<Outcome> outcome_named(std::string_view name);

// Whether the job was not tried to the end, so that a later attempt replaces this outcome.
bool gives_way(Outcome outcome);

// The grade of a result. A: no objection. B: usable, with a warning. C: doubtful. X: not usable.
char grade_of(Outcome outcome, bool doubtful, bool warned);

}  // namespace kernsweep
