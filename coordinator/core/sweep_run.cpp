#include "coordinator/core/sweep_run.hpp"

#include <algorithm>
#include <utility>

namespace kernsweep::coordinator {

SweepRun::SweepRun(const SweepSubmitted& event)
    : id(event.sweep),
      space(event.space),
      hosts(event.hosts),
      priority(event.priority),
      time_limit(event.time_limit),
      first_attempt(std::max(event.first_attempt, 1U)),
      stored_attempts(event.stored_attempts),
      asked(std::min(event.asked, event.space->size())),
      may_ask(event.may_ask),
      fault_attribution(event.hosts),
      held(event.held) {
  stored_attempts.arrange();
  // Jobs with an outcome were requested.
  event.answered.each_run([this](std::uint32_t, std::uint64_t, std::uint64_t last) {
    if (last < space->size()) asked = std::max(asked, last + 1);
  });
  if (hosts == Hosts::any) streams.try_emplace(0, space, 0, asked, event.measured_on);
  event.answered.each_run([this](std::uint32_t host, std::uint64_t first, std::uint64_t last) {
    if (first >= space->size()) return;
    if (hosts == Hosts::any) host = 0;
    SettledJobs& settled_jobs = streams.try_emplace(host, space, host, asked).first->second.settled_jobs();
    settled_jobs.settle_run(first, std::min(last, space->size() - 1));
  });
  know_restarted(event.answered);
  for (const auto& [host, stream] : streams) counts.earlier += stream.settled_jobs().settled_count();
  counts.done = counts.earlier;
}

// Results from before the restart of a point do not answer it.
void SweepRun::know_restarted(const AnsweredJobs& answered) {
  if (hosts != Hosts::any || !streams.at(0).bound().binds()) return;
  Stream& stream = streams.at(0);
  answered.each_run([&](std::uint32_t host, std::uint64_t first, std::uint64_t last) {
    const std::uint32_t times = times_restarted(host);
    for (; times > 0 && first <= last && first < space->size(); ++first)
      stream.bound().was_restarted(first, times);
  });
  for (const std::uint64_t first : stream.bound().restarted_points()) {
    for (const std::uint64_t job : stream.bound().jobs_beside(first)) {
      if (!answered.contains(job, stream.host_of(job))) stream.settled_jobs().reopen(job);
    }
  }
}

bool SweepRun::is_host_of_jobs(std::uint32_t host) const {
  if (hosts == Hosts::each || host == 0) return true;
  return times_restarted(host) > 0 && streams.at(0).bound().binds();
}

const Stream* SweepRun::stream_of(std::uint32_t host_of_job) const {
  if (!is_host_of_jobs(host_of_job)) return nullptr;
  const auto it = streams.find(hosts == Hosts::any ? 0 : host_of_job);
  return it == streams.end() ? nullptr : &it->second;
}

Stream* SweepRun::stream_of(std::uint32_t host_of_job) {
  if (!is_host_of_jobs(host_of_job)) return nullptr;
  const auto it = streams.find(hosts == Hosts::any ? 0 : host_of_job);
  return it == streams.end() ? nullptr : &it->second;
}

Stream& SweepRun::stream_for(const HostFacts& host) {
  const std::uint32_t number = hosts == Hosts::any ? 0 : host.host;
  return streams.try_emplace(number, space, number, asked).first->second;
}

void SweepRun::ask_until(std::uint64_t until) {
  asked = std::min(until, space->size());
  asking = false;
  quiet_since.reset();
  rechecked = false;
  for (auto& [host, stream] : streams) stream.ask_until(asked);
}

bool SweepRun::knows(const JobId& job) {
  return job.index < space->size() && stream_of(job.host);
}

bool SweepRun::may_adopt(const AttemptId& attempt) const {
  constexpr std::uint32_t kAhead = 1U << 20;  // more restarts than any earlier run can have made
  const std::uint32_t last =
      std::max(kAttemptMax / 2, std::min(first_attempt, kAttemptMax - kAhead) + kAhead);
  return attempt.number <= last && attempt.job.index < asked && space->wanted(attempt.job.index);
}

bool SweepRun::allows_retry(const InFlightJob& in_flight, Outcome outcome, bool throttled) const {
  if ((outcome == Outcome::ok && !throttled) || outcome == Outcome::unplaceable) return false;
  if (in_flight.stores_pending >= kStoresOfOneJobMax) return false;
  const RetryRules rules = space->retry(in_flight.index);
  const bool named = std::find(rules.on.begin(), rules.on.end(), outcome) != rules.on.end();
  const std::uint32_t used = outcome == Outcome::ok ? in_flight.disturbed : in_flight.failures;
  return (named || (throttled && rules.on_throttled)) && used < rules.max;
}

void SweepRun::hand(InFlightJob& in_flight, WorkerId worker) {
  if (in_flight.state != InFlightState::sent) ++sent;
  in_flight_jobs.send(in_flight, worker);
  if (fault_attribution.size() > 0) fault_attribution.handed({in_flight.host, in_flight.index}, worker);
}

void SweepRun::take_back(InFlightJob& in_flight, InFlightState state) {
  if (in_flight.state == InFlightState::sent) --sent;
  in_flight_jobs.settle_as(in_flight, state);
  if (fault_attribution.size() > 0) fault_attribution.taken_back({in_flight.host, in_flight.index});
}

InFlightJob& SweepRun::adopt(const AttemptId& attempt, WorkerId worker) {
  InFlightJob& in_flight = in_flight_jobs.insert(attempt.job.index, attempt.job.host, attempt.number);
  hand(in_flight, worker);
  return in_flight;
}

void SweepRun::send_again(InFlightJob& in_flight, std::optional<std::uint32_t> not_on, bool last) {
  take_back(in_flight, InFlightState::queued);
  in_flight.number = std::max(in_flight.number + 1, first_attempt);
  Stream& stream = *stream_of(in_flight.host);
  if (not_on) {
    stream.requeue_elsewhere({in_flight.index, in_flight.number}, *not_on);
  } else if (last) {
    stream.requeue_last({in_flight.index, in_flight.number});
  } else {
    stream.requeue({in_flight.index, in_flight.number});
  }
}

void SweepRun::drop_jobs_of_absent_hosts() {
  for (const InFlightJob& in_flight : in_flight_jobs.all()) {
    if (stream_of(in_flight.host)->joined_ever()) continue;
    fault_attribution.forget({in_flight.host, in_flight.index});
    in_flight_jobs.erase(in_flight.index, in_flight.host);
  }
}

bool SweepRun::has_only(bool (Stream::*kind)() const) const {
  if (sent + storing + stores_pending > 0) return false;
  bool joined = hosts == Hosts::any || space->size() == 0;
  for (const auto& [host, stream] : streams) {
    // With hosts: each, a host counts from the moment it joins; data of an earlier run does not apply.
    if (hosts == Hosts::each && !stream.joined_ever()) continue;
    joined = true;
    if (!(stream.*kind)()) return false;
  }
  return joined;
}

bool SweepRun::recheck(std::uint32_t& budget) {
  if (!rechecked) {
    rechecked = true;
    bool some = false;
    for (auto& [host, stream] : streams) {
      if (stream.recheck()) some = true;
      stream.begin_to_check_unschedulable();
    }
    if (some) return false;
  }
  return std::ranges::all_of(
      streams, [&](auto& of) { return of.second.check_unschedulable(in_flight_jobs, budget); });
}

bool SweepRun::give_up_absent() {
  bool some = false;
  for (auto& [host, stream] : streams) some = stream.give_up_absent() || some;
  return some;
}

bool SweepRun::give_up_absent_for_problems() {
  bool some = false;
  for (auto& [host, stream] : streams) some = stream.give_up_absent_for_problems() || some;
  return some;
}

SweepRun::Former SweepRun::restart(std::uint64_t index, std::uint32_t hardware, std::uint32_t times) {
  Stream& stream = streams.at(0);
  const std::uint32_t before = stream.host_of(index);
  stream.bound().restart(index, hardware, times);
  const std::uint32_t now = stream.host_of(index);
  Former former;
  for (const std::uint64_t job : stream.bound().jobs_beside(index)) {
    constexpr std::uint64_t kAny = std::uint64_t{1} << 32;
    const auto unpaid = deferred.take_below({id, job, before}, kAny);
    former.deferred.insert(former.deferred.end(), unpaid.begin(), unpaid.end());
    if (const InFlightJob* const in_flight = in_flight_jobs.find(job, before)) {
      const std::uint32_t number = in_flight->number;  // the number with which it waits
      fault_attribution.forget({before, job});
      in_flight_jobs.erase(job, before);
      in_flight_jobs.insert(job, now, number);
    } else if (space->wanted(job) && stream.reopen(job)) {
      ++former.results;
    }
  }
  counts.done -= former.results;
  counts.restarted += former.results;
  return former;
}

bool SweepRun::is_current(const JobId& job) const {
  return hosts == Hosts::each || stream_of(job.host)->host_of(job.index) == job.host;
}

bool SweepRun::may_follow(const JobId& job) {
  const std::uint32_t times = times_restarted(job.host);
  BoundPoints& bound = streams.at(0).bound();
  if (!bound.binds() || times > BoundPoints::kTimesMax || !space->wanted(job.index)) return false;
  if (!bound.is_ahead(job.index, times)) return false;
  if (bound.may_restart(job.index, in_flight_jobs)) return true;
  bound.skip(job.index, times);
  return false;
}

bool SweepRun::is_unlike(const JobId& job, std::uint32_t hardware) const {
  if (hosts == Hosts::each) return false;
  const Stream& stream = *stream_of(job.host);
  if (!stream.bound().matters()) return false;
  const auto bound = stream.bound().hardware_of(job.index, stream.settled_jobs(), in_flight_jobs);
  return bound && *bound != hardware;
}

bool SweepRun::has_jobs_waiting() const {
  return std::any_of(streams.begin(), streams.end(),
                     [](const auto& stream) { return !stream.second.has_only_unschedulable(); });
}

std::uint64_t SweepRun::unschedulable() const {
  std::uint64_t sum = 0;
  for (const auto& [host, stream] : streams) sum += stream.unschedulable();
  return sum;
}

bool SweepRun::is_answered() const {
  const bool hosts_may_return = hosts == Hosts::each && counts.earlier > 0;
  if (held || may_ask || hosts_may_return || in_flight_jobs.size() > 0 || fault_attribution.size() > 0)
    return false;
  const Tally sum = tally();
  return sum.size > 0 && sum.done + sum.unwanted == sum.size;
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
  tally.size = asked * joined;
  tally.in_flight = sent + storing;
  tally.earlier += tally.reused;
  return tally;
}

}  // namespace kernsweep::coordinator
