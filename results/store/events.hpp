// What happens to attempts, workers and sweeps between their beginning and their end, and stands nowhere
// else: with these rows every change of an attempt can be read from the database (view `attempt_history`).
//
// That an attempt was sent and how it finished stands in its own row, because that costs nothing more: an
// attempt to which nothing happens has no event.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "results/store/records.hpp"

namespace kernsweep {

// `lost` and `cancelled` are said of two kinds of things; which one, EventRecord::attempt and sweep tell.
enum class EventKind : std::uint8_t {
  // attempts
  returned = 1,  // the worker gave it back untried
  retracted,     // taken back by the coordinator before it was started
  lost,          // with its worker; of a worker: silent for too long, or its connection closed
  adopted,       // held by a worker that came back, and gone on with
  cancelled,     // with its sweep; of a sweep: by a client
  late,          // answered when another attempt had taken its place: not believed
  // workers
  joined,
  left,
  draining,
  drained,
  refused,
  readmitted,  // a host that was shut out may join again
  // sweeps
  submitted,
  ended,
  // points
  begun_anew,  // on another kind of host; the attempt's job is the first of the point, its number is 0
};
std::string_view name_of(EventKind kind);
std::optional<EventKind> event_kind_named(std::string_view name);

// Attempt set: an event of it. Else sweep set (not 0): of the sweep. Neither: of a worker.
struct EventRecord {
  EventKind what = EventKind::returned;
  double unix_s = kUnknown;  // time of day
  std::optional<AttemptId> attempt;
  SweepId sweep;              // not read when `attempt` is set
  std::uint32_t session = 0;  // WorkerId of the worker's session; 0: none
  HostId host;
  std::string_view reason;  // one line for people; empty: nothing more to say
};

}  // namespace kernsweep
