#include "coordinator/core/bound_points.hpp"

#include <algorithm>
#include <utility>

namespace kernsweep::coordinator {

BoundPoints::BoundPoints(std::shared_ptr<const JobSpace> space,
                         std::map<std::uint32_t, AnsweredJobs> measured_on)
    : space_(std::move(space)) {
  if (!space_) return;
  for (const auto& [hardware, jobs] : measured_on) meet(hardware);
  if (several_) measured_on_ = std::move(measured_on);
}

void BoundPoints::meet(std::uint32_t hardware) {
  if (!space_) return;
  if (!first_) first_ = hardware;
  several_ = several_ || *first_ != hardware;
}

std::optional<std::uint32_t> BoundPoints::written(std::uint64_t point) const {
  if (const auto found = rebound_.find(point); found != rebound_.end()) return found->second;
  for (const auto& [hardware, points] : on_) {
    if (points.settled(point)) return hardware;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> BoundPoints::jobs_beside(std::uint64_t index) const {
  return space_->jobs_of_point(space_->point_of(index));
}

std::optional<std::uint32_t> BoundPoints::hardware_of(std::uint64_t index, const SettledJobs& settled_jobs,
                                                      const InFlightJobs& in_flight_jobs) const {
  if (!space_) return std::nullopt;
  const std::uint64_t point = space_->point_of(index);
  const std::uint32_t host = host_of(index);
  const std::vector<std::uint64_t> jobs = space_->jobs_of_point(point);
  if (std::ranges::none_of(
          jobs, [&](std::uint64_t job) { return binds(job, host, settled_jobs, in_flight_jobs); }))
    return std::nullopt;
  if (const auto known = written(point)) return known;
  for (const auto& of : measured_on_) {
    const auto there = [&](std::uint64_t job) { return of.second.contains(job, host); };
    if (std::ranges::any_of(jobs, there)) return of.first;
  }
  return measured_on_.empty() ? first_ : std::nullopt;
}

void BoundPoints::bind(std::uint64_t index, std::uint32_t hardware) {
  if (!several_) return;
  const std::uint64_t point = space_->point_of(index);
  const auto known = written(point);
  if (known == hardware) return;
  if (known) {
    rebound_[point] = hardware;
  } else {
    on_.try_emplace(hardware, space_->size()).first->second.settle(point);
  }
}

bool BoundPoints::binds(std::uint64_t index, std::uint32_t host, const SettledJobs& settled_jobs,
                        const InFlightJobs& in_flight_jobs) {
  if (settled_jobs.settled(index)) return true;
  const InFlightJob* const in_flight = in_flight_jobs.find(index, host);
  return in_flight && in_flight->state != InFlightState::queued;
}

bool BoundPoints::is_alone(std::uint64_t index, const SettledJobs& settled_jobs,
                           const InFlightJobs& in_flight_jobs) const {
  const std::uint32_t host = host_of(index);
  return std::ranges::none_of(jobs_beside(index), [&](std::uint64_t job) {
    return job != index && binds(job, host, settled_jobs, in_flight_jobs);
  });
}

std::optional<std::uint32_t> BoundPoints::hardware_of_problem(std::uint64_t index,
                                                              const SettledJobs& settled_jobs,
                                                              const InFlightJobs& in_flight_jobs) {
  const std::span<const std::uint64_t> rivals = rivals_of(index);
  if (rivals.size() < 2) return std::nullopt;
  if (const auto known = of_problem_.find(rivals.front()); known != of_problem_.end())
    return may_be_chosen(known->second) ? std::optional(known->second) : std::nullopt;
  for (const std::uint64_t point : rivals) {
    const auto hardware = hardware_of(space_->jobs_of_point(point).front(), settled_jobs, in_flight_jobs);
    if (!hardware || !may_be_chosen(*hardware)) continue;
    of_problem_.emplace(rivals.front(), *hardware);
    return hardware;
  }
  return std::nullopt;
}

bool BoundPoints::may_move_to(std::uint32_t hardware, std::uint64_t index, const SettledJobs& settled_jobs,
                              const InFlightJobs& in_flight_jobs) {
  const auto of_problem = hardware_of_problem(index, settled_jobs, in_flight_jobs);
  return (!of_problem || *of_problem == hardware) && is_alone(index, settled_jobs, in_flight_jobs);
}

std::vector<std::uint32_t> BoundPoints::measured_on() const {
  std::vector<std::uint32_t> all;
  for (const auto& [hardware, jobs] : measured_on_) all.push_back(hardware);
  if (measured_on_.empty() && first_) all.push_back(*first_);
  return all;
}

std::uint32_t BoundPoints::host_of(std::uint64_t index) const {
  if (times_.empty()) return 0;
  const auto found = times_.find(space_->point_of(index));
  return found == times_.end() ? 0 : restarted(found->second.now);
}

bool BoundPoints::may_restart(std::uint64_t index, const InFlightJobs& in_flight_jobs) const {
  if (!space_) return false;
  const auto times = times_.find(space_->point_of(index));
  if (times != times_.end() && times->second.highest >= kTimesMax) return false;
  const std::uint32_t host = host_of(index);
  return std::ranges::none_of(jobs_beside(index), [&](std::uint64_t job) {
    const InFlightJob* const in_flight = in_flight_jobs.find(job, host);
    return in_flight && (in_flight->state != InFlightState::queued || in_flight->stores_pending > 0);
  });
}

void BoundPoints::restart(std::uint64_t index, std::uint32_t hardware, std::uint32_t times) {
  const std::uint64_t point = space_->point_of(index);
  Times& known = times_[point];
  known.highest = std::max(known.highest + 1, times);
  known.now = known.highest;
  rebound_[point] = hardware;
  given_up_points_.erase(point);
}

bool BoundPoints::is_ahead(std::uint64_t index, std::uint32_t times) const {
  const auto known = times_.find(space_->point_of(index));
  return times > (known == times_.end() ? 0 : known->second.highest);
}

void BoundPoints::skip(std::uint64_t index, std::uint32_t times) {
  Times& known = times_[space_->point_of(index)];
  known.highest = std::max(known.highest, times);
}

void BoundPoints::was_restarted(std::uint64_t index, std::uint32_t times) {
  skip(index, times);
  Times& known = times_[space_->point_of(index)];
  known.now = known.highest;
}

std::vector<std::uint64_t> BoundPoints::restarted_points() const {
  std::vector<std::uint64_t> all;
  for (const auto& [point, times] : times_) {
    if (times.now > 0) all.push_back(space_->jobs_of_point(point).front());
  }
  return all;
}

}  // namespace kernsweep::coordinator
