// The coordinator's shell: reports of workers while they measure.
#include <algorithm>

#include "coordinator/net/host_record.hpp"
#include "coordinator/net/shell.hpp"
#include "shared/text/utf8.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::coordinator {
namespace {

// Limits what the holder of a worker's key can make us keep and show.
constexpr std::size_t kActiveKept = 64;
constexpr std::uint32_t kLateRecorded = 1000;  // by one session
constexpr std::uint32_t kNoticesShown = 1000;  // by one session

}  // namespace

void Shell::on_heartbeat(Session& session, const wire::Heartbeat& heartbeat) {
  session.active.clear();
  for (const auto& attempt : heartbeat.active())
    if (session.active.size() < kActiveKept) session.active.push_back(decode(attempt));
  session.waits = one_line(heartbeat.waits(), kWordsMax);
  for (const std::string& notice : heartbeat.notices()) {
    if (session.notices_shown++ >= kNoticesShown) break;
    const std::string of = session.local ? "" : "worker " + std::to_string(session.id.value) + ": ";
    watcher_.note(of + one_line(notice, kWordsMax));
  }
  apply(WorkerHeard{session.id});
}

void Shell::on_outcomes(Session& session, wire::Outcomes& outcomes) {
  for (wire::Software& software : *outcomes.mutable_software()) store_->post_software(std::move(software));
  OutcomesArrived event{session.id, {}};
  bodies_.clear();
  for (wire::Outcome& outcome : *outcomes.mutable_outcomes()) {
    constexpr auto kLast = static_cast<std::uint32_t>(kLastOutcome);
    if (outcome.outcome() < 1 || outcome.outcome() > kLast) continue;  // sent by a newer worker, or damaged
    Arrival arrival;
    arrival.attempt = decode(outcome.attempt());
    RunningSweep* const sweep = running_sweep(arrival.attempt.job.sweep);
    if (sweep ? arrival.attempt.job.index >= sweep->space.size() : !ended_sweep(arrival.attempt.job.sweep))
      continue;
    arrival.outcome = static_cast<Outcome>(outcome.outcome());
    arrival.throttled = outcome.throttled();
    arrival.busy = Duration(std::max<std::int64_t>(0, outcome.busy_ns()));
    if (sweep) sweep->space.took(arrival.attempt.job.index, arrival.busy);
    arrival.payload = static_cast<std::uint32_t>(bodies_.size());
    event.arrivals.push_back(arrival);
    bodies_.push_back(std::move(*outcome.mutable_body()));
  }
  unused_.clear();
  const WorkerId id = session.id;
  apply(event);
  Session* const still_here = session_of(id);
  if (!still_here) unused_.clear();
  for (const std::uint32_t payload : unused_) {
    const AttemptId& attempt = event.arrivals[payload].attempt;
    // An outcome that arrives twice is not late; it is late if a newer attempt exists.
    if (core_.explain(attempt.job).attempt <= attempt.number || still_here->late_recorded == kLateRecorded)
      continue;
    ++still_here->late_recorded;
    note(EventKind::late, attempt, *still_here);
  }
  bodies_.clear();
}

}  // namespace kernsweep::coordinator
