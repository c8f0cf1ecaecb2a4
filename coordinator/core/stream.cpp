#include "coordinator/core/stream.hpp"

#include <algorithm>
#include <utility>

namespace kernsweep::coordinator {

namespace {
// With more than this many runs (16 MB) in the ready queues of connected hosts, the stream waits for them.
constexpr std::size_t kReadyRunsMax = std::size_t{1} << 20;
}  // namespace

Stream::Stream(std::shared_ptr<const JobSpace> space, std::uint32_t host, std::uint64_t asked,
               std::map<std::uint32_t, AnsweredJobs> measured_on)
    : space_(std::move(space)),
      host_(host),
      settled_jobs_(space_->size()),
      bound_(host_ == 0 && space_->has_points() ? space_ : nullptr, std::move(measured_on)) {
  ask_until(asked);
}

void Stream::ask_until(std::uint64_t index) {
  index = std::min(index, settled_jobs_.size());
  if (index <= asked_) return;
  asked_ = index;
  cursor_checked_ = false;
}

Stream::HostClass Stream::host_class(const HostFacts& facts) const {
  return {facts.cores, facts.gpus, space_->traits(facts), bound_.binds() ? facts.hardware : 0};
}

std::optional<HostKind> Stream::kind_of(const HostFacts& facts) const {
  const auto known = numbers_.find(host_class(facts));
  if (known == numbers_.end()) return std::nullopt;
  return known->second;
}

bool Stream::join(const HostFacts& facts) {
  bound_.meet(facts.hardware);
  bound_.came_back(facts.hardware);
  const auto [number, fresh] = numbers_.try_emplace(host_class(facts), next_kind_);
  const HostKind kind = number->second;
  if (fresh) ++next_kind_;
  Kind& entry = kinds_[kind];
  if (entry.present == 0) entry.facts = facts;
  ++entry.present;
  ++entry.workers[facts.host];
  ++hosts_here_[facts.host];
  if (!fresh) return false;
  for (auto& [need, queue] : ready_queues_) anew_.push_back({need, kind, std::move(queue)});
  ready_queues_.clear();
  unchecked_.append(std::exchange(unschedulable_, {}));
  if (!unchecked_.empty()) anew_.push_back({{}, kind, std::exchange(unchecked_, {})});
  return !anew_.empty() || !revisit_.empty();
}

void Stream::leave(const HostFacts& facts) {
  const auto kind = kind_of(facts);
  if (kind && kinds_.at(*kind).present > 0) {
    --kinds_.at(*kind).present;
    --kinds_.at(*kind).workers.at(facts.host);
  }
  const auto here = hosts_here_.find(facts.host);
  if (here != hosts_here_.end() && --here->second == 0) hosts_here_.erase(here);
}

bool Stream::forget_lost_units(const HostFacts& facts) {
  std::vector<HostKind> nobody_is;
  for (auto& [kind, entry] : kinds_) {
    const bool had_them = entry.facts.gpus <= facts.gpus + facts.gpus_lost &&
                          entry.facts.cores <= facts.cores + facts.cores_lost;
    const bool with_them = had_them && (entry.facts.gpus > facts.gpus || entry.facts.cores > facts.cores);
    const auto here = entry.workers.find(facts.host);
    if (!with_them || here == entry.workers.end() || here->second > 0) continue;
    entry.workers.erase(here);
    if (entry.workers.empty()) nobody_is.push_back(kind);
  }
  for (const HostKind kind : nobody_is) forget(kind);
  return !nobody_is.empty();
}

void Stream::forget(HostKind kind) {
  for (auto queue = ready_queues_.begin(); queue != ready_queues_.end();) {
    if (!std::binary_search(queue->first.begin(), queue->first.end(), kind)) {
      ++queue;
      continue;
    }
    revisit_.append(std::move(queue->second));
    queue = ready_queues_.erase(queue);
  }
  for (Anew& batch : anew_) std::erase(batch.need, kind);
  std::erase_if(numbers_, [kind](const auto& number) { return number.second == kind; });
  kinds_.erase(kind);
}

bool Stream::fits(std::uint64_t index, const HostFacts& facts) const {
  return space_->cores(index) <= facts.cores && !space_->unfit(index, facts);
}

bool Stream::open(const Waiting& job, const InFlightJobs& in_flight_jobs) const {
  if (settled_jobs_.settled(job.index)) return false;
  const InFlightJob* in_flight = in_flight_jobs.find(job.index, host_of(job.index));
  if (job.number == 0) return !in_flight;
  return in_flight && in_flight->state == InFlightState::queued && in_flight->number == job.number;
}

bool Stream::crowded() const {
  for (const auto& [need, queue] : ready_queues_) {
    if (queue.fresh.runs() < kReadyRunsMax) continue;
    for (const HostKind kind : need) {
      if (kinds_.at(kind).present > 0) return true;
    }
  }
  return false;
}

Dequeued Stream::dequeue_ready(HostKind kind, const InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                               std::uint64_t& index) {
  for (;;) {
    auto oldest = ready_queues_.end();
    for (auto it = ready_queues_.begin(); it != ready_queues_.end(); ++it) {
      if (!std::binary_search(it->first.begin(), it->first.end(), kind)) continue;
      const bool again = !it->second.again.empty();
      if (oldest == ready_queues_.end() || again || it->second.fresh.front() < oldest->second.fresh.front())
        oldest = it;
      if (again) break;
    }
    if (oldest == ready_queues_.end()) return Dequeued::nothing;
    if (bound_.matters() && budget == 0) return Dequeued::pause;
    Backlog& queue = oldest->second;
    const Waiting job = queue.pop();
    Need need = bound_.matters() ? oldest->first : Need();
    if (queue.empty()) ready_queues_.erase(oldest);
    index = job.index;
    if (!open(job, in_flight_jobs)) continue;
    const auto hardware = only_on(index, kind, in_flight_jobs, budget);
    if (!hardware || *hardware == kinds_.at(kind).facts.hardware) return Dequeued::job;
    std::erase_if(need, [&](HostKind other) { return kinds_.at(other).facts.hardware != *hardware; });
    (need.empty() ? unschedulable_ : ready_queues_[std::move(need)]).push(job);
  }
}

bool Stream::take(const Waiting& job, HostKind kind, const InFlightJobs& in_flight_jobs,
                  std::uint32_t& budget, Need need, HostKind from) {
  const auto hardware = only_on(job.index, kind, in_flight_jobs, budget);
  const auto asked = [&](const HostFacts& facts) {
    if (hardware && *hardware != facts.hardware) return false;
    spend(budget);
    return fits(job.index, facts);
  };
  if (hardware)
    std::erase_if(need, [&](HostKind other) { return kinds_.at(other).facts.hardware != *hardware; });
  if (std::ranges::binary_search(need, kind)) return true;
  if (kind >= from && asked(kinds_.at(kind).facts)) return true;
  for (auto other = kinds_.lower_bound(from); other != kinds_.end(); ++other) {
    if (other->first != kind && asked(other->second.facts)) need.push_back(other->first);
  }
  (need.empty() ? unschedulable_ : ready_queues_[std::move(need)]).push(job);
  return false;
}

// Most of them need only the check against a new kind; jobs that are known to fit the candidate are taken
// at once.
Dequeued Stream::dequeue_restarted(HostKind kind, const InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                                   std::uint64_t& index) {
  while (!anew_.empty()) {
    Anew& batch = anew_.front();
    const bool known = std::ranges::binary_search(batch.need, kind);
    if (!known && budget == 0) return Dequeued::pause;
    const Waiting job = batch.jobs.pop();
    const Need need = batch.need;
    const HostKind from = batch.from;
    if (batch.jobs.empty()) anew_.pop_front();
    index = job.index;
    if (!open(job, in_flight_jobs)) {
      spend(budget);
    } else if (take(job, kind, in_flight_jobs, budget, need, from)) {
      return Dequeued::job;
    }
  }
  return Dequeued::nothing;
}

Dequeued Stream::dequeue_last(HostKind kind, const InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                              std::uint64_t& index) {
  while (!later_.empty()) {
    if (budget == 0) return Dequeued::pause;
    const Waiting job = later_.front();
    later_.pop_front();
    index = job.index;
    if (!open(job, in_flight_jobs)) {
      spend(budget);
    } else if (take(job, kind, in_flight_jobs, budget)) {
      return Dequeued::job;
    }
  }
  return Dequeued::nothing;
}

Dequeued Stream::dequeue_suspect(const Candidate& candidate, const InFlightJobs& in_flight_jobs,
                                 std::uint32_t& budget, std::uint64_t& index) {
  for (auto queue = bad_on_.begin(); queue != bad_on_.end();) {
    if (queue->first == candidate.host && others_here(candidate.host)) {
      ++queue;
      continue;
    }
    while (!queue->second.empty()) {
      if (budget == 0) return Dequeued::pause;
      const Waiting job = queue->second.front();
      queue->second.pop_front();
      index = job.index;
      spend(budget);
      if (!open(job, in_flight_jobs) || !take(job, candidate.kind, in_flight_jobs, budget)) continue;
      if (queue->second.empty()) bad_on_.erase(queue);
      return Dequeued::job;
    }
    queue = bad_on_.erase(queue);
  }
  return Dequeued::nothing;
}

Dequeued Stream::dequeue(const Candidate& candidate, InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                         std::uint64_t& index) {
  const HostKind kind = candidate.kind;
  if (!bad_on_.empty() && candidate.suspects) {
    const Dequeued dequeued = dequeue_suspect(candidate, in_flight_jobs, budget, index);
    if (dequeued != Dequeued::nothing) return dequeued;
  }
  if (!ready_queues_.empty()) {
    if (const Dequeued dequeued = dequeue_ready(kind, in_flight_jobs, budget, index);
        dequeued != Dequeued::nothing)
      return dequeued;
  }
  if (!ready_queues_.empty() && crowded()) return Dequeued::nothing;
  while (!revisit_.empty()) {
    if (budget == 0) return Dequeued::pause;
    const Waiting job = revisit_.pop();
    index = job.index;
    if (!open(job, in_flight_jobs)) {
      spend(budget);
    } else if (take(job, kind, in_flight_jobs, budget)) {
      return Dequeued::job;
    }
  }
  if (const Dequeued dequeued = dequeue_restarted(kind, in_flight_jobs, budget, index);
      dequeued != Dequeued::nothing)
    return dequeued;
  for (;;) {
    if (!advance(in_flight_jobs, budget)) return Dequeued::pause;
    if (scanned()) return dequeue_last(kind, in_flight_jobs, budget, index);
    if (budget == 0) return Dequeued::pause;
    index = cursor_++;
    cursor_checked_ = false;
    if (take({index}, kind, in_flight_jobs, budget)) return Dequeued::job;
  }
}

bool Stream::advance(InFlightJobs& in_flight_jobs, std::uint32_t& budget) {
  const bool may_change = space_->held_max() > 0 && !scanned();
  if (cursor_checked_ && !(may_change && space_->rejected_by(cursor_)) &&
      (scanned() || open({cursor_}, in_flight_jobs)))
    return true;
  cursor_checked_ = false;
  for (;;) {
    cursor_ = std::min(settled_jobs_.next_open(cursor_), std::max(cursor_, asked_));
    if (scanned()) break;
    if (const auto rule = space_->rejected_by(cursor_)) {
      settled_jobs_.settle(cursor_++);
      ++unwanted_;
      if (*rule >= unwanted_by_.size()) unwanted_by_.resize(*rule + 1);
      ++unwanted_by_[*rule];
    } else if (in_flight_jobs.find(cursor_, host_of(cursor_))) {
      ++cursor_;
    } else {
      break;
    }
    if (budget == 0) return false;
    --budget;
  }
  cursor_checked_ = true;
  return true;
}

bool Stream::check_unschedulable(const InFlightJobs& in_flight_jobs, std::uint32_t& budget) {
  while (!unchecked_.empty()) {
    if (budget == 0) return false;
    spend(budget);
    const Waiting job = unchecked_.pop();
    if (open(job, in_flight_jobs)) unschedulable_.push(job);
  }
  return true;
}

std::optional<Waiting> Stream::pop_unschedulable(const InFlightJobs& in_flight_jobs,
                                                 std::uint32_t& budget) {
  while (unschedulable() > 0 && budget > 0) {
    spend(budget);
    const Waiting job = (unchecked_.empty() ? unschedulable_ : unchecked_).pop();
    if (open(job, in_flight_jobs)) return job;
  }
  return std::nullopt;
}

bool Stream::is_anybody_here(const Need& need) const {
  return std::ranges::any_of(need, [this](HostKind kind) { return kinds_.at(kind).present > 0; });
}

bool Stream::only_waits() const {
  if (!bound_.binds()) return has_only_unschedulable();
  if (!only_set_aside()) return false;
  return std::ranges::none_of(ready_queues_, [this](const auto& of) { return is_anybody_here(of.first); });
}

bool Stream::give_up_point(std::uint64_t index, const InFlightJobs& in_flight_jobs) {
  if (!bound_.matters() || !bound_.may_restart(index, in_flight_jobs)) return false;
  const bool fits_one = std::ranges::any_of(
      kinds_, [&](const auto& of) { return of.second.present > 0 && fits(index, of.second.facts); });
  if (fits_one) bound_.give_up_point(index);
  return fits_one;
}

bool Stream::recheck() {
  if (!bound_.binds() || hosts_here_.empty()) return false;
  unchecked_.append(std::exchange(unschedulable_, {}));
  bool some = !unchecked_.empty();
  revisit_.append(std::exchange(unchecked_, {}));
  for (auto queue = ready_queues_.begin(); queue != ready_queues_.end();) {
    if (is_anybody_here(queue->first)) {
      ++queue;
      continue;
    }
    some = true;
    revisit_.append(std::move(queue->second));
    queue = ready_queues_.erase(queue);
  }
  return some;
}

bool Stream::reopen(std::uint64_t index) {
  if (!settled_jobs_.reopen(index)) return false;
  if (index < cursor_) revisit_.push({index});
  cursor_checked_ = false;
  return true;
}

std::size_t Stream::bytes() const {
  std::size_t sum = settled_jobs_.bytes() +
                    16 * (unschedulable_.fresh.runs() + unchecked_.fresh.runs() + revisit_.fresh.runs());
  for (const auto& [need, queue] : ready_queues_) sum += 16 * queue.fresh.runs();
  for (const Anew& batch : anew_) sum += 16 * batch.jobs.fresh.runs();
  return sum;
}

}  // namespace kernsweep::coordinator
