#include "coordinator/core/sweep_run.hpp"

#include <algorithm>

namespace kernsweep::coordination {

SweepRun::SweepRun(const SweepSubmitted& event)
    : id(event.sweep),
      space(event.space),
      hosts(event.hosts),
      priority(event.priority),
      time_limit(event.time_limit),
      first_attempt(std::max(event.first_attempt, 1U)),
      spent(event.spent),
      blame(event.hosts),
      held(event.held) {
  spent.arrange();
  if (hosts == Hosts::any) streams.try_emplace(0, space, 0);
  event.answered.each_run([this](std::uint32_t host, std::uint64_t first, std::uint64_t last) {
    if (first >= space->size()) return;
    if (hosts == Hosts::any) host = 0;
    Ledger& ledger = streams.try_emplace(host, space, host).first->second.ledger();
    counts.earlier += ledger.settle_run(first, std::min(last, space->size() - 1));
  });
  counts.done = counts.earlier;
}

Stream* SweepRun::stream_of(std::uint32_t host_of_job) {
  const auto it = streams.find(host_of_job);
  return it == streams.end() ? nullptr : &it->second;
}

Stream& SweepRun::stream_for(const HostFacts& host) {
  const std::uint32_t number = hosts == Hosts::any ? 0 : host.host;
  return streams.try_emplace(number, space, number).first->second;
}

bool SweepRun::knows(const JobId& job) {
  return job.index < space->size() && stream_of(job.host);
}

bool SweepRun::may_adopt(const AttemptId& attempt) const {
  constexpr std::uint32_t kAhead = 1U << 20;  // where an earlier run has come that far
  const std::uint32_t last =
      std::max(kAttemptMax / 2, std::min(first_attempt, kAttemptMax - kAhead) + kAhead);
  return attempt.number <= last && space->wanted(attempt.job.index);
}

bool SweepRun::allows_retry(const Flight& flight, Outcome outcome, bool throttled) const {
  if ((outcome == Outcome::ok && !throttled) || outcome == Outcome::unplaceable) return false;
  if (flight.stores_pending >= kStoresOfOneJobMax) return false;
  const RetryRules rules = space->retry(flight.index);
  const bool named = std::find(rules.on.begin(), rules.on.end(), outcome) != rules.on.end();
  const std::uint32_t used = outcome == Outcome::ok ? flight.disturbed : flight.failures;
  return (named || (throttled && rules.on_throttled)) && used < rules.max;
}

void SweepRun::hand(Flight& flight, WorkerId worker) {
  if (flight.state != FlightState::sent) ++sent;
  flights.send(flight, worker);
  if (blame.size() > 0) blame.handed({flight.host, flight.index}, worker);
}

void SweepRun::take_back(Flight& flight, FlightState state) {
  if (flight.state == FlightState::sent) --sent;
  flights.settle_as(flight, state);
  if (blame.size() > 0) blame.taken_back({flight.host, flight.index});
}

Flight& SweepRun::adopt(const AttemptId& attempt, WorkerId worker) {
  Flight& flight = flights.insert(attempt.job.index, attempt.job.host, attempt.number);
  hand(flight, worker);
  return flight;
}

void SweepRun::send_again(Flight& flight, std::optional<std::uint32_t> not_on) {
  take_back(flight, FlightState::queued);
  flight.number = std::max(flight.number + 1, first_attempt);
  Stream& stream = *stream_of(flight.host);
  if (not_on) {
    stream.requeue_elsewhere({flight.index, flight.number}, *not_on);
  } else {
    stream.requeue({flight.index, flight.number});
  }
}

void SweepRun::drop_jobs_of_absent_hosts() {
  for (const Flight& flight : flights.all()) {
    if (stream_of(flight.host)->joined_ever()) continue;
    blame.forget({flight.host, flight.index});
    flights.erase(flight.index, flight.host);
  }
}

bool SweepRun::only_misfits() const {
  if (sent + storing + stores_pending > 0) return false;
  bool joined = hosts == Hosts::any || space->size() == 0;
  for (const auto& [host, stream] : streams) {
    // With hosts: each, a host counts from the moment it joins; what an earlier run knew of it does not
    // bind this one.
    if (hosts == Hosts::each && !stream.joined_ever()) continue;
    joined = true;
    if (!stream.only_misfits()) return false;
  }
  return joined;
}

bool SweepRun::has_jobs_waiting() const {
  return std::any_of(streams.begin(), streams.end(),
                     [](const auto& stream) { return !stream.second.only_misfits(); });
}

std::uint64_t SweepRun::misfits() const {
  std::uint64_t sum = 0;
  for (const auto& [host, stream] : streams) sum += stream.misfits().count();
  return sum;
}

Tally SweepRun::tally() const {
  Tally tally = counts;
  std::uint64_t joined = 0;
  tally.scanned = !streams.empty();
  for (const auto& [host, stream] : streams) {
    if (hosts == Hosts::each && !stream.joined_ever()) continue;
    ++joined;
    tally.unwanted += stream.unwanted();
    const auto& by = stream.unwanted_by();
    tally.unwanted_by.resize(std::max(tally.unwanted_by.size(), by.size()));
    for (std::size_t rule = 0; rule < by.size(); ++rule) tally.unwanted_by[rule] += by[rule];
    tally.parked += stream.waiting_for_a_host();
    tally.scanned = tally.scanned && stream.scanned();
  }
  tally.size = space->size() * joined;
  tally.in_flight = sent + storing;
  tally.earlier += tally.reused;
  return tally;
}

}  // namespace kernsweep::coordination
