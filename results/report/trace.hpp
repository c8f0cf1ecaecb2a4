// The time line of a sweep in the JSON that Chrome's about:tracing and Perfetto open (the "Trace Event
// Format"): hosts as processes, what ran side by side on one as threads, the phases of each attempt as
// spans, disturbances and what happened to workers as instants. Its times are microseconds since the first
// attempt began.
//
// What is stored decides what is shown. An attempt has its end and the lengths of its parts, so its spans
// are laid out backwards from the end. Preparing and verifying are stored as one length. Which slot ran an
// attempt is not stored: the threads are the fewest that hold the attempts of a host without overlap,
// whichever session of a worker ran them. When a sample was disturbed is not stored: the instant stands
// where measuring begins.
#pragma once

#include <cstdint>
#include <string>

#include "results/report/export.hpp"

namespace kernsweep {

// Sums over the spans of a trace, in nanoseconds, each span rounded to one.
struct TraceSums {
  std::string sweep;
  std::uint64_t sweep_id = 0;
  std::uint64_t attempts = 0;     // with spans
  std::uint64_t without_end = 0;  // attempts that are left out: when they ended is not known
  std::uint64_t reused = 0;       // jobs whose result an earlier job measured: no time of this sweep
  std::uint64_t hosts = 0, threads = 0;
  std::uint64_t together = 0;  // the most attempts at one moment, on all hosts
  std::uint64_t disturbances = 0, events = 0;
  std::int64_t prepare_ns = 0, wait_ns = 0, warm_up_ns = 0, measure_ns = 0;
  std::int64_t queue_ns = 0;  // between being sent and being begun; no span
  std::int64_t wall_ns = 0;   // from the first begin to the last end
  std::int64_t all_ns() const { return prepare_ns + wait_ns + warm_up_ns + measure_ns; }
};

// `sweep`: as Reader::find_sweep takes it. Errors: there is no such sweep; none of its attempts has ended;
// the database cannot be read; the sink's.
Result<TraceSums> write_trace(Reader& reader, const std::string& sweep, const Sink& sink);

// Where the time went, a line for each phase, and what the trace cannot show. `path`: where it was written.
std::string text_of(const TraceSums& sums, const std::string& path);
// {"sweep", "sweep_id", "attempts", "without_end", "reused", "hosts", "threads", "together",
// "disturbances", "events", "prepare_and_verify_s", "wait_s", "warm_up_s", "measure_s", "all_s", "queue_s",
// "wall_s"}
std::string to_json(const TraceSums& sums);

}  // namespace kernsweep
