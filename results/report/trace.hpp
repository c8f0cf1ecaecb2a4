// The time line of a sweep in the JSON that Chrome's about:tracing and Perfetto open (the "Trace Event
// Format"): hosts as processes, concurrent attempts on one host as threads, the phases of each attempt as
// spans, disturbances and events of workers as instants. Times are microseconds since the first attempt
// began.
//
// The trace shows what is stored. An attempt has its end and the lengths of its parts, so its spans are
// laid out backwards from the end; for an attempt below 10 ms all parts before the lease are `prepare`. The
// threads are the fewest that hold the attempts of a host without overlap, whichever slot ran them. The
// time of a disturbance is not stored, so its instant is at the begin of measuring.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include "results/report/export.hpp"

namespace kernsweep {

// The phases of a slot, in this order. `idle`: between two of its attempts.
enum class TracePhase { start, inputs, prepare, reference, verify, wait, warm_up, measure, check, idle };
inline constexpr std::size_t kTracePhases = 10;
const char* name_of(TracePhase phase);  // of a span

// Sums over the spans of a trace, in nanoseconds, each span rounded to one.
struct TraceSums {
  std::string sweep;
  std::uint64_t sweep_id = 0;
  std::uint64_t attempts = 0;     // with spans
  std::uint64_t without_end = 0;  // attempts that are left out because their end is not known
  std::uint64_t reused = 0;       // jobs with the result of an earlier job: no time of this sweep
  std::uint64_t hosts = 0, threads = 0;
  std::uint64_t together = 0;  // the largest number of attempts at the same time, on all hosts
  std::uint64_t disturbances = 0, events = 0;
  std::array<std::int64_t, kTracePhases> phases_ns{};
  std::int64_t queue_ns = 0;  // between being sent and being begun; has no span
  std::int64_t wall_ns = 0;   // from the first start to the last end
  std::int64_t& of(TracePhase phase) { return phases_ns[static_cast<std::size_t>(phase)]; }
  std::int64_t of(TracePhase phase) const { return phases_ns[static_cast<std::size_t>(phase)]; }
  // The sum of all phases but `idle`.
  std::int64_t all_ns() const {
    return std::accumulate(phases_ns.begin(), phases_ns.end(), -of(TracePhase::idle));
  }
};

// `sweep`: in the form of Reader::find_sweep. Errors: there is no such sweep; none of its attempts has
// ended; the database cannot be read; those of the sink.
Result<TraceSums> write_trace(Reader& reader, const std::string& sweep, const Sink& sink);

// The time of each phase, a line for each, and what the trace cannot show. `path`: of the trace file.
std::string text_of(const TraceSums& sums, const std::string& path);
// {"sweep", "sweep_id", "attempts", "without_end", "reused", "hosts", "threads", "together",
// "disturbances", "events", a sum for each TracePhase ("start_s", ..., "idle_s"), "all_s", "queue_s",
// "wall_s"}
std::string to_json(const TraceSums& sums);

}  // namespace kernsweep
