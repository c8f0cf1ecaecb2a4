// How a sweep ends: all jobs answered, no host fits the rest, stopped, out of time, or the store has
// failed.
#include <algorithm>
#include <utility>

#include "coordinator/core/state.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

namespace {
constexpr Duration kStopGrace = 5s;  // for running jobs to be returned
constexpr std::uint32_t kGivenUpPerTurn = 1024;
}  // namespace

void Core::State::on(const StopAsked&) {
  for (const auto& run : sweeps) {
    if (!run->stopping) stop(*run, Ending::stopped);
  }
}

void Core::State::on(const SweepCancelled& event) {
  SweepRun* run = sweep(event.sweep);
  if (run && !run->stopping) stop(*run, Ending::stopped);
}

void Core::State::stop(SweepRun& run, Ending why) {
  run.stopping = why;
  run.stopped_at = now;
  for (const auto& [id, worker] : workers) {
    for (const InFlightJob& in_flight : run.in_flight_jobs.sent_to(id))
      outboxes[id].cancel.push_back(run.newest(in_flight));
  }
}

void Core::State::on(const StoreFailed&) {
  failed = true;
  pending.clear();
  for (auto& [id, worker] : workers) worker.storing = 0;
  outboxes.clear();
  for (const auto& run : std::exchange(sweeps, {})) end(*run, Ending::store_failed);
}

void Core::State::check_endings() {
  for (std::size_t i = 0; i < sweeps.size();) {
    SweepRun& run = *sweeps[i];
    if (!is_over(run)) {
      ++i;
      continue;
    }
    if (!run.stopping && run.in_flight_jobs.size() > 0) run.drop_jobs_of_absent_hosts();
    KS_ASSERT(run.stopping || (run.in_flight_jobs.size() == 0 && run.fault_attribution.size() == 0));
    const Ending natural = run.counts.failed == 0 ? Ending::complete : Ending::incomplete;
    end(run, run.stopping && !run.is_answered() ? *run.stopping : natural);
    sweeps.erase(sweeps.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool Core::State::is_over(SweepRun& run) {
  if (!run.stopping && run.time_limit > Duration::zero() && run.started &&
      now - *run.started >= run.time_limit) {
    stop(run, Ending::time_limit);
  }
  if (run.stopping) {
    return run.stores_pending == 0 && (run.sent == 0 || now - run.stopped_at >= kStopGrace);
  }
  if (run.held) return false;
  if (run.sent > 0) {
    run.quiet_since.reset();
    run.rechecked = false;
    return false;
  }
  for (auto& [host, stream] : run.streams) {
    if (!stream.advance(run.in_flight_jobs, budget)) {
      scan_on = true;
      return false;
    }
  }
  if (!run.only_waits()) return false;
  // With hosts: each, hosts of the earlier run get time to return before the sweep ends.
  const bool resumed_each = run.hosts == Hosts::each && run.counts.earlier > 0;
  if (resumed_each && now - run.submitted_at < options.silence_limit) return false;
  if (!run.quiet_since) run.quiet_since = now;
  const bool is_grace = now - *run.quiet_since < options.unplaceable_grace;
  const bool waits = options.stay || is_grace;
  if (!is_grace && (waits ? run.give_up_absent_for_problems() : run.give_up_absent()))
    run.rechecked = false;
  if (!run.recheck(budget)) {
    scan_on = true;
    return false;
  }
  if (!run.has_only_unschedulable()) return false;
  if (run.unschedulable() == 0) return !asks_more(run);
  if (!waits) give_up_unschedulable(run);
  return false;
}

bool Core::State::asks_more(SweepRun& run) {
  if (!run.may_ask) return false;
  if (!run.asking) closing_actions.emplace_back(AskMore{run.id});
  run.asking = true;
  return true;
}

void Core::State::give_up_unschedulable(SweepRun& run) {
  std::uint32_t room = kGivenUpPerTurn;
  for (auto& [host, stream] : run.streams) {
    for (; room > 0; --room) {
      const auto job = stream.pop_unschedulable(run.in_flight_jobs, budget);
      if (!job) break;
      const std::uint64_t index = job->index;
      if (stream.give_up_point(index, run.in_flight_jobs)) {
        stream.requeue(*job);
        scan_on = true;
        continue;
      }
      InFlightJob* in_flight = run.in_flight_jobs.find(index, stream.host_of(index));
      if (!in_flight) in_flight = &run.insert(index, stream.host_of(index));
      settle(run, *in_flight,
             {run.newest(*in_flight), std::nullopt, Outcome::unplaceable, true, std::nullopt,
              stream.why_unschedulable(index)},
             Judged{});
    }
    scan_on = scan_on || (budget == 0 && stream.unschedulable() > 0);
  }
}

void Core::State::end(SweepRun& run, Ending ending) {
  ended[run.id] = Ended{ending, run.priority, run.tally()};
  // Jobs that a stopped sweep leaves with a worker no longer count as work of other sweeps.
  if (run.sent > 0) {
    for (auto& [id, worker] : workers)
      worker.take(static_cast<std::uint32_t>(run.in_flight_jobs.sent_count(id)));
  }
  // A sweep that may be continued later keeps them: their jobs may have no row.
  if (!failed && is_whole(ending)) release(run.deferred.take_if([](const AttemptId&) { return true; }));
  std::erase_if(quarantined, [&run](const auto& entry) { return entry.second.sweep == run.id; });
  closing_actions.emplace_back(SweepEnded{run.id, ending});
}

}  // namespace kernsweep::coordinator
