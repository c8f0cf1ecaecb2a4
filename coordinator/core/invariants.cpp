// What must hold between two events, for tests: each table in itself, then the tables against each other.
#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordination {

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

// A count that is kept, beside what was counted now. `what` gives its name, asked for only when they
// differ.
template <class What>
Broken differ(const What& what, std::uint64_t kept, std::uint64_t counted) {
  if (kept == counted) return std::nullopt;
  return what() + ": " + std::to_string(kept) + " are kept, " + std::to_string(counted) + " were counted";
}
Broken differ(const char* what, std::uint64_t kept, std::uint64_t counted) {
  return differ([what] { return std::string(what); }, kept, counted);
}

}  // namespace

Broken Ledger::check_invariants() const {
  std::uint64_t settled = std::min(full_below_ * kChunkBits, size_);
  for (const auto& [number, chunk] : chunks_) {
    if (number < full_below_) return "ledger: a chunk that is torn off is still there";
    if (!chunk) {
      settled += bits_in(number);
      continue;
    }
    std::uint64_t bits = 0;
    for (const std::uint64_t word : chunk->words) {
      if (word != 0) bits += static_cast<std::uint64_t>(std::popcount(word));
    }

    if (auto broken = differ("ledger: bits of a chunk", chunk->count, bits)) return broken;
    settled += bits;
  }
  return differ("ledger: settled jobs", settled_, settled);
}

Broken Flights::check_invariants() const {
  std::size_t used = 0, sent = 0, lined_up = 0;
  for (const Flight& flight : entries_) {
    if (flight.state == FlightState::none) continue;
    ++used;
    sent += flight.state == FlightState::sent;
    const auto name = [&flight] { return text_of(JobId{{}, flight.index, flight.host}); };
    if (find(flight.index, flight.host) != &flight)
      return "flights: " + name() + " is not found by its index";
    if ((flight.state == FlightState::sent) != (flight.worker != WorkerId{}))
      return "flights: " + name() + " is with nobody though it is sent, or the reverse";
  }
  if (auto broken = differ("flights: jobs", size_, used)) return broken;
  if (auto broken = differ("flights: free entries", free_.size(), entries_.size() - used)) return broken;
  const auto named = std::ranges::count_if(table_, [](std::uint32_t entry) { return entry != 0; });
  if (auto broken = differ("flights: places in the table", static_cast<std::size_t>(named), used))
    return broken;
  for (const auto& [worker, line] : lines_) {
    std::size_t count = 0;
    std::uint32_t before = 0;
    for (std::uint32_t entry = line.first; entry != 0 && count <= line.count;
         entry = entry_at(entry).after) {
      const Flight& flight = entry_at(entry);
      if (flight.state != FlightState::sent || flight.worker != worker || flight.before != before)
        return "flights: the jobs of " + text_of(worker) + " are linked wrongly";
      before = entry;
      ++count;
    }
    if (before != line.last) return "flights: the newest job of " + text_of(worker) + " is not its last";
    if (auto broken =
            differ([&worker = worker] { return "flights: jobs of " + text_of(worker); }, line.count, count))
      return broken;
    lined_up += count;
  }
  return differ("flights: jobs that some worker has", lined_up, sent);
}

Broken DeferredReleases::check_invariants() const {
  const bool same = std::ranges::all_of(by_job_, [this](const Deferred& deferred) {
    return by_worker_.contains({deferred.second, deferred.first});
  });
  if (!same) return "deferred: what is there by job is not there by worker";
  return differ("deferred: outcomes by worker", by_worker_.size(), by_job_.size());
}

Broken Blame::check_invariants(const Flights& flights) const {
  std::map<WorkerId, std::uint32_t> held;
  for (const auto& [job, suspect] : suspects_) {
    const auto name = [&job = job] { return text_of(JobId{{}, job.second, job.first}); };

    const Flight* const flight = flights.find(job.second, job.first);
    if (!flight) return "blame: " + name() + " is suspected and not on its way";
    const bool sent = flight->state == FlightState::sent;
    if (suspect.with ? !sent || flight->worker != *suspect.with : sent)
      return "blame: " + name() + " is with another worker than the flights say";
    if (suspect.with) ++held[*suspect.with];
  }
  if (held != held_) return "blame: the suspects of the workers do not add up";
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
      if (!kinds_.contains(kind)) return "stream: a queue for a kind that nobody is";
    }
  }
  for (const Anew& batch : anew_) {
    if (batch.jobs.empty() || !batch.jobs.fresh.adds_up())
      return "stream: jobs to be asked anew that are none, or do not add up";
    const auto earlier = [&](HostKind kind) { return kind < batch.from && kinds_.contains(kind); };
    if (!std::ranges::is_sorted(batch.need) || !std::ranges::all_of(batch.need, earlier))
      return "stream: jobs to be asked anew fit a kind that nobody is, or that was not asked";
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

// A job that waits lies in one place: tried ones as an entry that is still theirs, others below the cursor
// as one that nobody has met since.
Broken Stream::check_places(const Flights& flights) const {
  std::vector<std::uint64_t> again, fresh;
  const auto put = [&](const Waiting& job) {
    if (open(job, flights)) (job.number == 0 ? fresh : again).push_back(job.index);
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
  for (auto* const places : {&again, &fresh}) {
    std::ranges::sort(*places);
    const auto twice = std::ranges::adjacent_find(*places);
    if (twice != places->end())
      return "stream: " + text_of(JobId{{}, *twice, host_}) + " lies in two places";
  }
  std::size_t unmet = 0;
  for (std::uint64_t i = ledger_.next_open(0); i < cursor_; i = ledger_.next_open(i + 1)) {
    if (flights.find(i, host_of(i))) continue;
    ++unmet;
    if (!std::ranges::binary_search(fresh, i))
      return "stream: " + text_of(JobId{{}, i, host_}) + " was passed over and lies nowhere";
  }
  if (auto broken = differ("stream: jobs that were set aside", fresh.size(), unmet)) return broken;
  std::size_t queued = 0;
  flights.each([&](const Flight& flight) {
    queued += flight.host == host_of(flight.index) && flight.state == FlightState::queued;
  });
  return differ("stream: jobs that wait for another try", again.size(), queued);
}

Broken Stream::check_invariants(const Flights& flights) const {
  if (auto broken = ledger_.check_invariants()) return broken;
  if (cursor_ > ledger_.size()) return "stream: the cursor is beyond the end";
  if (auto broken = check_ready_queues()) return broken;
  return check_places(flights);
}

Broken SweepRun::check_invariants() const {
  if (auto broken = flights.check_invariants()) return broken;
  if (auto broken = deferred.check_invariants()) return broken;
  if (auto broken = blame.check_invariants(flights)) return broken;
  std::uint64_t with_workers = 0, with_store = 0, settled = 0, unwanted = 0;
  Broken wrong;
  flights.each([&](const Flight& flight) {
    const auto name = [&flight] { return text_of(JobId{{}, flight.index, flight.host}); };
    const Stream* const stream = stream_of(flight.host);
    if (!stream || flight.index >= space->size() || !is_current({id, flight.index, flight.host})) {
      wrong = "sweep: there is no " + name();
    } else if (stream->ledger().settled(flight.index)) {
      wrong = "sweep: " + name() + " is settled and on its way";
    } else if (flight.number == 0) {
      wrong = "sweep: " + name() + " has no attempt";
    }
    with_workers += flight.state == FlightState::sent;
    with_store += flight.state == FlightState::storing;
  });
  if (wrong) return wrong;
  for (const auto& [host, stream] : streams) {
    if (stream.host() != host) return "sweep: a stream under the number of another host";
    if (auto broken = stream.check_invariants(flights)) return broken;
    settled += stream.ledger().settled_count();
    unwanted += stream.unwanted();
  }
  if (auto broken = differ("sweep: jobs that are sent", sent, with_workers)) return broken;
  if (auto broken = differ("sweep: outcomes that are being stored", storing, with_store)) return broken;
  if (auto broken = differ("sweep: jobs done", counts.done,
                           counts.earlier + counts.reused + counts.ok + counts.failed - counts.begun_anew))
    return broken;
  return differ("sweep: jobs done or unwanted", counts.done + unwanted, settled);
}

// What a worker holds and what of it is being stored, counted from the jobs and the rows.
Broken Core::State::check_workers() const {
  std::map<WorkerId, std::uint32_t> storing;
  for (const PendingStore& store : pending) {
    if (store.worker) ++storing[*store.worker];
  }
  std::set<WorkerId> leaving;
  std::uint64_t held = 0, sent = 0;
  for (const auto& [id, worker] : roster) {
    std::uint64_t given = 0;
    for (const auto& run : sweeps) given += run->flights.sent_count(id);
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
  if (storing.size() > roster.size()) return "workers: rows of one that is not here are being stored";
  for (const auto& run : sweeps) sent += run->sent;
  return differ("workers: jobs held by all", held, sent);
}

// Rows under way: each of a job that knows of it, one of them accepted at most, and that the newest.
Broken Core::State::check_stores(const SweepRun& run) const {
  const auto before = [](const PendingStore& a, const PendingStore& b) { return a.attempt < b.attempt; };
  std::vector<PendingStore> rows;
  std::ranges::copy_if(pending, std::back_inserter(rows),
                       [&run](const PendingStore& store) { return store.attempt.job.sweep == run.id; });
  if (auto broken = differ("sweep: rows being stored", run.stores_pending, rows.size())) return broken;
  std::ranges::sort(rows, before);
  std::uint64_t of_flights = 0, expected = 0, answered = 0;
  for (auto row = rows.begin(); row != rows.end();) {
    const JobId& job = row->attempt.job;
    const auto end = std::find_if(row, rows.end(),
                                  [&job](const PendingStore& store) { return store.attempt.job != job; });
    const auto twice = std::adjacent_find(
        row, end, [](const PendingStore& a, const PendingStore& b) { return a.attempt == b.attempt; });
    if (twice != end) return text_of(twice->attempt) + " is being stored twice";
    const auto accepted = std::count_if(row, end, [](const PendingStore& store) { return store.accepted; });
    const std::uint32_t newest = std::prev(end)->attempt.number;
    if (const Flight* const flight = run.flights.find(job.index, job.host)) {
      const bool storing = flight->state == FlightState::storing;
      if (flight->stores_pending != end - row) return text_of(job) + ": its rows are counted wrongly";
      if (accepted != (storing ? 1 : 0)) return text_of(job) + " is being stored as answered, or should be";
      if (storing ? newest != flight->number : newest >= flight->number)
        return text_of(job) + ": a row of an attempt that is not over, or not of the newest";
      of_flights += flight->stores_pending;
      answered += storing;
    } else if (const Stream* const stream = run.stream_of(job.host);  // a store may answer in another order
               !stream || !stream->ledger().settled(job.index)) {
      return text_of(job) + " is being stored and not on its way";
    }
    row = end;
  }
  run.flights.each([&](const Flight& flight) { expected += flight.stores_pending; });
  if (auto broken = differ("jobs that wait for their outcome's row", run.storing, answered)) return broken;
  return differ("rows that jobs wait for", expected, of_flights);
}

Broken Core::State::check_deferred(const SweepRun& run) const {
  for (const auto& [attempt, worker] : run.deferred.all()) {
    const Flight* const flight = run.flights.find(attempt.job.index, attempt.job.host);
    if (!flight) return "deferred: " + text_of(attempt) + " is not on its way";
    if (attempt.number > flight->number && flight->state != FlightState::storing)
      return "deferred: " + text_of(attempt) + " is newer than the newest";
    if (std::ranges::none_of(roster,
                             [&worker = worker](const auto& entry) { return entry.first == worker; }))
      return "deferred: " + text_of(attempt) + " to one who is not here";
  }
  return std::nullopt;
}

Broken Core::State::check_presence(const SweepRun& run) const {
  std::map<std::uint32_t, Stream::Presence> here;  // by the number of the stream
  for (const auto& [id, worker] : roster) {
    if (worker.draining) continue;
    const std::uint32_t number = run.hosts == Hosts::any ? 0 : worker.host.host;
    const auto stream = run.streams.find(number);
    const auto kind = stream == run.streams.end() ? std::nullopt : stream->second.kind_of(worker.host);
    if (!kind) return text_of(id) + " is of no kind";
    ++here[number].kinds[*kind];
    ++here[number].hosts[worker.host.host];
  }
  for (const auto& [host, stream] : run.streams) {
    if (stream.presence() != here[host]) return "stream: who is here is not who is in the list of workers";
  }
  return std::nullopt;
}

Broken Core::State::check_invariants() const {
  if (!outboxes.empty() || !last_words.empty()) return "an order was left behind";
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

}  // namespace kernsweep::coordination
