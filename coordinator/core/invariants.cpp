// Conditions that hold between two events, for tests: for each table, then across tables.
#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordinator {

namespace {

using Broken = std::optional<std::string>;

std::string text_of(const JobId& job) {
  return "job " + std::to_string(job.index) + (job.host ? " of host " + std::to_string(job.host) : "");
}
std::string text_of(const AttemptId& attempt) {
  return text_of(attempt.job) + ", attempt " + std::to_string(attempt.number);
}
std::string text_of(WorkerId worker) {
  return "worker " + std::to_string(worker.value);
}

// Compares a stored count with one that was counted now. `what` returns its name, and is called only if
// they differ.
template <class What>
Broken differ(const What& what, std::uint64_t kept, std::uint64_t counted) {
  if (kept == counted) return std::nullopt;
  return what() + ": " + std::to_string(kept) + " are kept, " + std::to_string(counted) + " were counted";
}
Broken differ(const char* what, std::uint64_t kept, std::uint64_t counted) {
  return differ([what] { return std::string(what); }, kept, counted);
}

}  // namespace

Broken SettledJobs::check_invariants() const {
  std::uint64_t settled = std::min(full_below_ * kChunkBits, size_);
  for (const auto& [number, chunk] : chunks_) {
    if (number < full_below_) return "settled jobs: a chunk that is torn off is still there";
    if (!chunk) {
      settled += bits_in(number);
      continue;
    }
    std::uint64_t bits = 0;
    for (const std::uint64_t word : chunk->words) {
      if (word != 0) bits += static_cast<std::uint64_t>(std::popcount(word));
    }

    if (auto broken = differ("settled jobs: bits of a chunk", chunk->count, bits)) return broken;
    settled += bits;
  }
  return differ("settled jobs: their number", settled_, settled);
}

Broken InFlightJobs::check_invariants() const {
  std::size_t used = 0, sent = 0, lined_up = 0;
  for (const InFlightJob& in_flight : entries_) {
    if (in_flight.state == InFlightState::none) continue;
    ++used;
    sent += in_flight.state == InFlightState::sent;
    const auto name = [&in_flight] { return text_of(JobId{{}, in_flight.index, in_flight.host}); };
    if (find(in_flight.index, in_flight.host) != &in_flight)
      return "in-flight jobs: " + name() + " is not found by its index";
    if ((in_flight.state == InFlightState::sent) != (in_flight.worker != WorkerId{}))
      return "in-flight jobs: " + name() + " is with no worker though it is sent, or the reverse";
  }
  if (auto broken = differ("in-flight jobs: jobs", size_, used)) return broken;
  if (auto broken = differ("in-flight jobs: free entries", free_.size(), entries_.size() - used))
    return broken;
  const auto named = std::ranges::count_if(table_, [](std::uint32_t entry) { return entry != 0; });
  if (auto broken = differ("in-flight jobs: places in the table", static_cast<std::size_t>(named), used))
    return broken;
  for (const auto& [worker, line] : lines_) {
    std::size_t count = 0;
    std::uint32_t before = 0;
    for (std::uint32_t entry = line.first; entry != 0 && count <= line.count;
         entry = entry_at(entry).after) {
      const InFlightJob& in_flight = entry_at(entry);
      if (in_flight.state != InFlightState::sent || in_flight.worker != worker ||
          in_flight.before != before)
        return "in-flight jobs: the jobs of " + text_of(worker) + " are linked wrongly";
      before = entry;
      ++count;
    }
    if (before != line.last)
      return "in-flight jobs: the newest job of " + text_of(worker) + " is not its last";
    if (auto broken = differ([&worker = worker] { return "in-flight jobs: jobs of " + text_of(worker); },
                             line.count, count))
      return broken;
    lined_up += count;
  }
  return differ("in-flight jobs: jobs that some worker has", lined_up, sent);
}

Broken DeferredReleases::check_invariants() const {
  const bool same = std::ranges::all_of(by_job_, [this](const Deferred& deferred) {
    return by_worker_.contains({deferred.second, deferred.first});
  });
  if (!same) return "deferred: what is there by job is not there by worker";
  return differ("deferred: outcomes by worker", by_worker_.size(), by_job_.size());
}

Broken FaultAttribution::check_invariants(const InFlightJobs& in_flight_jobs) const {
  std::map<WorkerId, std::uint32_t> held;
  for (const auto& [job, suspect] : suspects_) {
    const auto name = [&job = job] { return text_of(JobId{{}, job.second, job.first}); };

    const InFlightJob* const in_flight = in_flight_jobs.find(job.second, job.first);
    if (!in_flight) return "fault attribution: " + name() + " is suspected and not on its way";
    const bool sent = in_flight->state == InFlightState::sent;
    if (suspect.with ? !sent || in_flight->worker != *suspect.with : sent)
      return "fault attribution: " + name() + " is with another worker than the in-flight jobs say";
    if (suspect.with) ++held[*suspect.with];
  }
  if (held != held_) return "fault attribution: the suspects of the workers do not add up";
  return std::nullopt;
}

Stream::Presence Stream::presence() const {
  Presence here;
  for (const auto& [kind, entry] : kinds_) {
    if (entry.present > 0) here.kinds[kind] = entry.present;
  }
  here.hosts = hosts_here_;
  return here;
}

Broken Stream::check_ready_queues() const {
  if (!unschedulable_.fresh.adds_up() || !unchecked_.fresh.adds_up() || !revisit_.fresh.adds_up())
    return "stream: runs do not add up";
  for (const auto& [need, queue] : ready_queues_) {
    if (queue.empty() || !queue.fresh.adds_up()) return "stream: a queue is empty or does not add up";
    if (need.empty() || !std::ranges::is_sorted(need)) return "stream: a queue without kinds, or unordered";
    for (const HostKind kind : need) {
      if (!kinds_.contains(kind)) return "stream: a queue for a kind that does not exist";
    }
  }
  for (const Anew& batch : anew_) {
    if (batch.jobs.empty() || !batch.jobs.fresh.adds_up())
      return "stream: jobs to be asked again that are none, or do not add up";
    const auto earlier = [&](HostKind kind) { return kind < batch.from && kinds_.contains(kind); };
    if (!std::ranges::is_sorted(batch.need) || !std::ranges::all_of(batch.need, earlier))
      return "stream: jobs to be checked again fit a kind that does not exist, or was not checked";
  }
  if (auto broken = differ("stream: numbers of kinds", numbers_.size(), kinds_.size())) return broken;
  for (const auto& [like, kind] : numbers_) {
    if (!kinds_.contains(kind) || kind >= next_kind_) return "stream: a number of no kind";
  }
  for (const auto& [host, jobs] : bad_on_) {
    if (jobs.empty()) return "stream: an empty queue of jobs that ended badly";
  }
  for (const auto& [kind, entry] : kinds_) {
    const auto sum =
        std::accumulate(entry.workers.begin(), entry.workers.end(), 0U,
                        [](std::uint32_t so_far, const auto& of) { return so_far + of.second; });
    if (auto broken = differ("stream: workers of a kind", entry.present, sum)) return broken;
  }
  return std::nullopt;
}

// A waiting job is in one place: a retry is a current entry, any other job is below the cursor and was not
// reached since.
Broken Stream::check_places(const InFlightJobs& in_flight_jobs) const {
  std::vector<std::uint64_t> again, fresh;
  const auto put = [&](const Waiting& job) {
    if (open(job, in_flight_jobs)) (job.number == 0 ? fresh : again).push_back(job.index);
  };
  const auto put_all = [&put](const Backlog& backlog) {
    for (const Waiting& job : backlog.again) put(job);
    backlog.fresh.each([&put](std::uint64_t index) { put({index}); });
  };
  put_all(unschedulable_);
  put_all(unchecked_);
  put_all(revisit_);
  for (const auto& [need, queue] : ready_queues_) put_all(queue);
  for (const Anew& batch : anew_) put_all(batch.jobs);
  for (const auto& [host, jobs] : bad_on_) std::ranges::for_each(jobs, put);
  std::ranges::for_each(later_, put);
  for (auto* const places : {&again, &fresh}) {
    std::ranges::sort(*places);
    const auto twice = std::ranges::adjacent_find(*places);
    if (twice != places->end())
      return "stream: " + text_of(JobId{{}, *twice, host_}) + " lies in two places";
  }
  std::size_t unmet = 0;
  for (std::uint64_t i = settled_jobs_.next_open(0); i < cursor_; i = settled_jobs_.next_open(i + 1)) {
    if (in_flight_jobs.find(i, host_of(i))) continue;
    ++unmet;
    if (!std::ranges::binary_search(fresh, i))
      return "stream: " + text_of(JobId{{}, i, host_}) + " was passed over and lies nowhere";
  }
  if (auto broken = differ("stream: jobs that were set aside", fresh.size(), unmet)) return broken;
  std::size_t queued = 0;
  in_flight_jobs.each([&](const InFlightJob& in_flight) {
    queued += in_flight.host == host_of(in_flight.index) && in_flight.state == InFlightState::queued;
  });
  return differ("stream: jobs that wait for another try", again.size(), queued);
}

Broken Stream::check_invariants(const InFlightJobs& in_flight_jobs) const {
  if (auto broken = settled_jobs_.check_invariants()) return broken;
  if (cursor_ > asked_ || asked_ > settled_jobs_.size()) return "stream: the cursor is beyond the end";
  if (auto broken = check_ready_queues()) return broken;
  return check_places(in_flight_jobs);
}

Broken SweepRun::check_invariants() const {
  if (auto broken = in_flight_jobs.check_invariants()) return broken;
  if (auto broken = deferred.check_invariants()) return broken;
  if (auto broken = fault_attribution.check_invariants(in_flight_jobs)) return broken;
  std::uint64_t with_workers = 0, with_store = 0, settled = 0, unwanted = 0;
  Broken wrong;
  in_flight_jobs.each([&](const InFlightJob& in_flight) {
    const auto name = [&in_flight] { return text_of(JobId{{}, in_flight.index, in_flight.host}); };
    const Stream* const stream = stream_of(in_flight.host);
    if (!stream || in_flight.index >= space->size() || !is_current({id, in_flight.index, in_flight.host})) {
      wrong = "sweep: there is no " + name();
    } else if (stream->settled_jobs().settled(in_flight.index)) {
      wrong = "sweep: " + name() + " is settled and on its way";
    } else if (in_flight.number == 0) {
      wrong = "sweep: " + name() + " has no attempt";
    }
    with_workers += in_flight.state == InFlightState::sent;
    with_store += in_flight.state == InFlightState::storing;
  });
  if (wrong) return wrong;
  for (const auto& [host, stream] : streams) {
    if (stream.host() != host) return "sweep: a stream under the number of another host";
    if (auto broken = stream.check_invariants(in_flight_jobs)) return broken;
    settled += stream.settled_jobs().settled_count();
    unwanted += stream.unwanted();
  }
  if (auto broken = differ("sweep: jobs that are sent", sent, with_workers)) return broken;
  if (auto broken = differ("sweep: outcomes that are being stored", storing, with_store)) return broken;
  if (auto broken = differ("sweep: jobs done", counts.done,
                           counts.earlier + counts.reused + counts.ok + counts.failed - counts.restarted))
    return broken;
  return differ("sweep: jobs done or unwanted", counts.done + unwanted, settled);
}

// The jobs of a worker and its outcomes in the store, counted from the jobs and the rows.
Broken Core::State::check_workers() const {
  std::map<WorkerId, std::uint32_t> storing;
  for (const PendingStore& store : pending) {
    if (store.worker) ++storing[*store.worker];
  }
  std::set<WorkerId> leaving;
  std::uint64_t held = 0, sent = 0;
  for (const auto& [id, worker] : workers) {
    std::uint64_t given = 0;
    for (const auto& run : sweeps) given += run->in_flight_jobs.sent_count(id);
    if (auto broken = differ([&id = id] { return text_of(id) + ": jobs held"; }, worker.held, given))
      return broken;
    if (auto broken =
            differ([&id = id] { return text_of(id) + ": rows being stored"; }, worker.storing, storing[id]))
      return broken;
    if (worker.id != id) return text_of(id) + " is in the place of another";
    if (worker.draining) leaving.insert(id);
    held += worker.held;
  }
  if (leaving != draining) return "workers: those that drain are not those in the list of them";
  if (storing.size() > workers.size()) return "workers: rows of one that is not here are being stored";
  for (const auto& run : sweeps) sent += run->sent;
  return differ("workers: jobs held by all", held, sent);
}

// Rows that are being stored: each of a job that knows about it, at most one of them accepted, which is the
// newest.
Broken Core::State::check_stores(const SweepRun& run) const {
  const auto before = [](const PendingStore& a, const PendingStore& b) { return a.attempt < b.attempt; };
  std::vector<PendingStore> rows;
  std::ranges::copy_if(pending, std::back_inserter(rows),
                       [&run](const PendingStore& store) { return store.attempt.job.sweep == run.id; });
  if (auto broken = differ("sweep: rows being stored", run.stores_pending, rows.size())) return broken;
  std::ranges::sort(rows, before);
  std::uint64_t of_in_flight = 0, expected = 0, answered = 0;
  for (auto row = rows.begin(); row != rows.end();) {
    const JobId& job = row->attempt.job;
    const auto end = std::find_if(row, rows.end(),
                                  [&job](const PendingStore& store) { return store.attempt.job != job; });
    const auto twice = std::adjacent_find(
        row, end, [](const PendingStore& a, const PendingStore& b) { return a.attempt == b.attempt; });
    if (twice != end) return text_of(twice->attempt) + " is being stored twice";
    const auto accepted = std::count_if(row, end, [](const PendingStore& store) { return store.accepted; });
    const std::uint32_t newest = std::prev(end)->attempt.number;
    if (const InFlightJob* const in_flight = run.in_flight_jobs.find(job.index, job.host)) {
      const bool storing = in_flight->state == InFlightState::storing;
      if (in_flight->stores_pending != end - row) return text_of(job) + ": its rows are counted wrongly";
      if (accepted != (storing ? 1 : 0)) return text_of(job) + " is being stored as answered, or should be";
      if (storing ? newest != in_flight->number : newest >= in_flight->number)
        return text_of(job) + ": a row of an attempt that is not over, or not of the newest";
      of_in_flight += in_flight->stores_pending;
      answered += storing;
    } else if (const Stream* const stream = run.stream_of(job.host);  // a store may answer in another order
               !stream || !stream->settled_jobs().settled(job.index)) {
      return text_of(job) + " is being stored and not on its way";
    }
    row = end;
  }
  run.in_flight_jobs.each([&](const InFlightJob& in_flight) { expected += in_flight.stores_pending; });
  if (auto broken = differ("jobs that wait for their outcome's row", run.storing, answered)) return broken;
  return differ("rows that jobs wait for", expected, of_in_flight);
}

Broken Core::State::check_deferred(const SweepRun& run) const {
  for (const auto& [attempt, worker] : run.deferred.all()) {
    const InFlightJob* const in_flight = run.in_flight_jobs.find(attempt.job.index, attempt.job.host);
    if (!in_flight) return "deferred: " + text_of(attempt) + " is not on its way";
    if (attempt.number > in_flight->number && in_flight->state != InFlightState::storing)
      return "deferred: " + text_of(attempt) + " is newer than the newest";
    if (std::ranges::none_of(workers,
                             [&worker = worker](const auto& entry) { return entry.first == worker; }))
      return "deferred: " + text_of(attempt) + " to one that is not here";
  }
  return std::nullopt;
}

Broken Core::State::check_presence(const SweepRun& run) const {
  std::map<std::uint32_t, Stream::Presence> here;  // by the number of the stream
  for (const auto& [id, worker] : workers) {
    if (worker.draining) continue;
    const std::uint32_t number = run.hosts == Hosts::any ? 0 : worker.host.host;
    const auto stream = run.streams.find(number);
    const auto kind = stream == run.streams.end() ? std::nullopt : stream->second.kind_of(worker.host);
    if (!kind) return text_of(id) + " is of no kind";
    ++here[number].kinds[*kind];
    ++here[number].hosts[worker.host.host];
  }
  for (const auto& [host, stream] : run.streams) {
    if (stream.presence() != here[host])
      return "stream: the workers that are here are not those in the list of workers";
  }
  return std::nullopt;
}

Broken Core::State::check_invariants() const {
  if (!outboxes.empty() || !closing_actions.empty()) return "an order was left behind";
  if (failed && (!sweeps.empty() || !pending.empty()))
    return "the store has failed, and something waits for it";
  std::uint64_t rows = 0;
  for (const auto& run : sweeps) {
    Broken broken = run->check_invariants();
    if (!broken) broken = check_stores(*run);
    if (!broken) broken = check_deferred(*run);
    if (!broken) broken = check_presence(*run);
    if (!broken && ended.contains(run->id)) broken = "it runs and has ended";
    if (broken) return "sweep " + std::to_string(run->id.value) + ": " + *broken;
    rows += run->stores_pending;
  }
  const auto later = [](const auto& a, const auto& b) { return a->priority > b->priority; };
  if (!std::ranges::is_sorted(sweeps, later)) return "the sweeps are not in the order of their priorities";
  if (auto broken = differ("rows of sweeps that run", pending.size(), rows)) return broken;
  return check_workers();
}

std::optional<std::string> Core::check_invariants() const {
  return state_->check_invariants();
}

}  // namespace kernsweep::coordinator
