// Which kind of hardware measures a point, so that no point has processes of unlike hosts.
//
// With `hosts: any` the first result of a point, or its first job that is on its way, binds it to the kind
// of hardware of that host. Nothing is written down while all hosts and results are of one kind. From then
// on, a point that has nothing written is bound to the first kind if any of its jobs has a result or is on
// its way, else to none.
//
// A point whose kind stays away may be begun anew on another: its jobs get another JobId::host
// (begun_anew), so what was measured stays as it is.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "coordinator/core/core.hpp"
#include "coordinator/core/in_flight_jobs.hpp"
#include "coordinator/core/settled_jobs.hpp"

namespace kernsweep::coordinator {

class BoundPoints {
 public:
  // `space`: null where no point is bound, as with hosts: each. `measured_on`: what earlier runs have
  // measured, by hardware.
  BoundPoints(std::shared_ptr<const JobSpace> space, std::map<std::uint32_t, AnsweredJobs> measured_on);

  // Points may be bound: two hosts of unlike hardware are two kinds.
  bool binds() const { return space_ != nullptr; }
  // More than one kind of hardware was met. Until then no job is bound, for all that matters.
  bool matters() const { return several_; }
  // There is a host of this hardware, or a result of it.
  void meet(std::uint32_t hardware);

  // The hardware that the job's point is bound to. Costs a look at each job of the point.
  std::optional<std::uint32_t> hardware_of(std::uint64_t index, const SettledJobs& settled_jobs,
                                           const InFlightJobs& in_flight_jobs) const;
  // The job is with a host of this hardware, or has a result of it.
  void bind(std::uint64_t index, std::uint32_t hardware);
  // No other job of its point binds it: it may go to a host of other hardware.
  bool is_alone(std::uint64_t index, const SettledJobs& settled_jobs,
                const InFlightJobs& in_flight_jobs) const;

  // Points that are bound to this hardware may be begun anew. False: it was given up already.
  bool give_up(std::uint32_t hardware) { return given_up_.insert(hardware).second; }
  // This point alone may be: no host of its hardware can take it any more.
  void give_up_point(std::uint64_t index) { given_up_points_.insert(space_->point_of(index)); }
  // Of a job that is bound to this hardware.
  bool is_given_up(std::uint64_t index, std::uint32_t hardware) const {
    return given_up_.contains(hardware) ||
           (!given_up_points_.empty() && given_up_points_.contains(space_->point_of(index)));
  }
  void came_back(std::uint32_t hardware) { given_up_.erase(hardware); }
  // Hardware of results of earlier runs.
  std::vector<std::uint32_t> measured_on() const;

  // JobId::host of this job as it is to be measured now.
  std::uint32_t host_of(std::uint64_t index) const;
  // Nothing of the point is on its way, and it has not been begun anew too often.
  bool may_begin_anew(std::uint64_t index, const InFlightJobs& in_flight_jobs) const;
  // The point is bound to this hardware from now on, and its jobs have a host that they never had: that of
  // `times`, or the next one.
  void begin_anew(std::uint64_t index, std::uint32_t hardware, std::uint32_t times = 0);
  // The point was never begun anew so often.
  bool is_ahead(std::uint64_t index, std::uint32_t times) const;
  // No host of so many times, or fewer, will be used.
  void skip(std::uint64_t index, std::uint32_t times);
  // An earlier run has begun it anew so often.
  void was_begun_anew(std::uint64_t index, std::uint32_t times);
  // The first job of each point that was begun anew, in any order.
  std::vector<std::uint64_t> points_begun_anew() const;

  std::vector<std::uint64_t> jobs_beside(std::uint64_t index) const;  // of its point, itself included

  static constexpr std::uint32_t kTimesMax = 64;  // that a point is begun anew

 private:
  struct Times {
    std::uint32_t now = 0, highest = 0;
  };
  std::optional<std::uint32_t> written(std::uint64_t point) const;
  // The job has a result, or is on its way.
  static bool binds(std::uint64_t index, std::uint32_t host, const SettledJobs& settled_jobs,
                    const InFlightJobs& in_flight_jobs);

  std::shared_ptr<const JobSpace> space_;
  std::map<std::uint32_t, AnsweredJobs> measured_on_;
  std::optional<std::uint32_t> first_;
  bool several_ = false;
  std::map<std::uint32_t, SettledJobs> on_;                   // points by hardware, each once
  std::unordered_map<std::uint64_t, std::uint32_t> rebound_;  // goes before `on_`
  std::unordered_map<std::uint64_t, Times> times_;            // points that were begun anew
  std::set<std::uint32_t> given_up_;
  std::set<std::uint64_t> given_up_points_;
};

}  // namespace kernsweep::coordinator
