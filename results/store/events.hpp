// Events of attempts, workers and sweeps that no other table records. With them the database has every
// state change of an attempt (view `attempt_history`).
//
// The row of an attempt stores when it was sent and how it finished. So an attempt that was only sent and
// finished has no event.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "results/store/records.hpp"

namespace kernsweep {

// `lost` is used for attempts and workers, `cancelled` for attempts and sweeps. The members `attempt` and
// `sweep` of EventRecord distinguish them.
enum class EventKind : std::uint8_t {
  // attempts
  returned = 1,  // the worker gave it back without starting it
  retracted,     // the coordinator took it back before it was started
  lost,          // its worker was lost; of a worker: silent for too long, or its connection closed
  adopted,       // a worker that reconnected still had it, and continued it
  cancelled,     // its sweep was cancelled; of a sweep: a client cancelled it
  late,          // its result came after another attempt had replaced it, and was not accepted
  // workers
  joined,
  left,
  draining,
  drained,
  refused,
  readmitted,  // the quarantine of a host was ended: it may join again
  // sweeps
  submitted,
  ended,
  // points
  restarted,  // a point was restarted on another kind of host; job: the point's first, attempt number 0
};
std::string_view name_of(EventKind kind);
std::optional<EventKind> event_kind_named(std::string_view name);

// An event of an attempt if `attempt` is set, else of a sweep if `sweep` is not 0, else of a worker.
struct EventRecord {
  EventKind what = EventKind::returned;
  double unix_s = kUnknown;  // seconds since 1970-01-01 UTC
  std::optional<AttemptId> attempt;
  SweepId sweep;              // not read when `attempt` is set
  std::uint32_t session = 0;  // WorkerId of the worker's session; 0: none
  HostId host;
  std::string_view reason;  // one line for the user; empty: none
};

}  // namespace kernsweep
