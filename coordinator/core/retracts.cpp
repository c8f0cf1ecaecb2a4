// Requests jobs back from workers: from those that drain, from hosts in quarantine, and, when no other jobs
// are left, from loaded workers for idle ones.
#include <algorithm>
#include <utility>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordinator {

namespace {
constexpr Duration kMovesEvery = 5us;           // per worker: the search for jobs visits every worker
constexpr Duration kAnswerIn = 250ms;           // time before a worker is asked again
constexpr std::uint32_t kEmptyRetractsMax = 5;  // doublings of that time for a worker that returns nothing
constexpr std::uint32_t kLookAtMost = 1024;
}  // namespace

void Core::State::on(const WorkerDraining& event) {
  if (Worker* worker = note_message(event.worker)) drain(*worker, event.reason);
}

void Core::State::drain(Worker& worker, const std::string& reason) {
  if (worker.draining) return;
  leave_streams(worker);
  worker.draining = true;
  worker.reason = reason;
  draining.insert(worker.id);
  for (const auto& run : sweeps) {
    for (const InFlightJob& in_flight : run->in_flight_jobs.sent_to(worker.id)) {
      outboxes[worker.id].retract.push_back(run->newest(in_flight));
    }
  }
  refill_all = true;
}

// Also: none of its outcomes waits for a row of another worker.
bool Core::State::has_all_stored(const Worker& worker) {
  if (worker.storing > 0) return false;
  return std::ranges::none_of(sweeps, [&worker](const auto& run) {
    return run->deferred.any_of(worker.id, [&run](const AttemptId& attempt) {
      const InFlightJob* const in_flight = run->in_flight_jobs.find(attempt.job.index, attempt.job.host);
      return in_flight && in_flight->stores_pending > 0;
    });
  });
}

void Core::State::watch_draining() {
  for (auto it = draining.begin(); it != draining.end();) {
    const Worker* worker = workers.find(*it);
    if (worker && (worker->held > 0 || !has_all_stored(*worker))) {
      ++it;
      continue;
    }
    if (worker) {
      flush_deferred();
      closing_actions.emplace_back(WorkerDrained{*it, worker->reason});
      for (const auto& run : sweeps) run->deferred.forget(*it);
      workers.remove(*it);
    }
    it = draining.erase(it);
  }
}

void Core::State::quarantine_hosts() {
  for (const auto& run : sweeps) {
    for (const std::uint32_t host : run->fault_attribution.to_be_quarantined()) {
      const std::string reason = run->fault_attribution.why_quarantined(host);
      quarantined.try_emplace(host, Quarantine{run->id, reason});
      for (auto& [id, worker] : workers) {
        if (worker.host.host == host) drain(worker, reason);
      }
    }
  }
}

void Core::State::on(const HostReadmitted& event) {
  if (quarantined.erase(event.host) == 0) return;
  for (const auto& run : sweeps) run->fault_attribution.readmit(event.host);
  for (auto& [id, worker] : workers) {
    if (worker.host.host != event.host || !worker.draining) continue;
    worker.draining = false;
    worker.reason.clear();
    draining.erase(id);
    for (const auto& run : sweeps) {
      run->stream_for(worker.host).join(worker.host);
      run->rechecked = false;
    }
  }
  refill_all = true;
}

// Every idle worker gets a share of the jobs that the most loaded one has not begun. Jobs do not move back
// and forth: an idle worker gets at most half, and has a free core for at least the first one.
void Core::State::move_work() {
  if (!unmet_demand || failed || scan_on || workers.size() < 2) return;
  if (now - moved_at < kMovesEvery * static_cast<std::int64_t>(workers.size())) return;
  moved_at = now;
  std::vector<const Worker*> idle;
  std::vector<std::pair<double, Worker*>> loaded;
  for (auto& [id, worker] : workers) {
    if (!worker.draining && worker.held < worker.cores() && now >= worker.rests_until)
      idle.push_back(&worker);
    const double backlog = worker.backlog_s(now);
    if (now >= worker.ask_again && backlog >= seconds(options.move_from))
      loaded.push_back({backlog, &worker});
  }
  if (idle.empty() || loaded.empty()) return;
  // Begins after the worker that was served last, so that all workers get a turn.
  std::rotate(idle.begin(),
              std::ranges::find_if(idle, [this](const Worker* w) { return moved_to < w->id; }), idle.end());
  std::stable_sort(loaded.begin(), loaded.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::size_t next = 0;
  for (const Worker* worker : idle) {
    if (budget == 0) return;
    moved_to = worker->id;
    while (next < loaded.size() && ask_back(*loaded[next].second, *worker) == 0) ++next;
    if (next == loaded.size()) return;
    ++next;
  }
}

std::uint32_t Core::State::ask_back(Worker& loaded, const Worker& idle) {
  const std::uint32_t waiting = loaded.held - loaded.cores();
  const std::uint32_t room = std::max(idle.target(options), idle.cores()) - idle.held;
  const std::uint32_t share = std::min(room, std::max(idle.cores() - idle.held, (waiting + 1) / 2));
  const std::uint32_t most = std::min(share, waiting);
  std::uint32_t retracted = 0;
  for (const auto& run : sweeps) {
    if (run->stopping || (run->hosts == Hosts::each && loaded.host.host != idle.host.host)) continue;
    Stream& stream = run->stream_for(idle.host);
    for (const InFlightJob& in_flight :
         run->in_flight_jobs.newest_sent_to(loaded.id, std::min(waiting, kLookAtMost))) {
      if (retracted == most || budget == 0) break;
      --budget;
      if (!stream.fits(in_flight.index, idle.host)) continue;
      if (stream.bound().matters() && loaded.host.hardware != idle.host.hardware &&
          !stream.bound().may_move_to(idle.host.hardware, in_flight.index, stream.settled_jobs(),
                                      run->in_flight_jobs))
        continue;
      outboxes[loaded.id].retract.push_back(run->newest(in_flight));
      ++retracted;
    }
  }
  if (retracted == 0) return 0;
  loaded.asked_back = retracted;
  loaded.ask_again = now + kAnswerIn * (1U << loaded.empty_retracts);
  loaded.empty_retracts = std::min(loaded.empty_retracts + 1, kEmptyRetractsMax);
  return retracted;
}

}  // namespace kernsweep::coordinator
