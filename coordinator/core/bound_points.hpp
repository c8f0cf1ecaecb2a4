// Which kind of hardware measures a point, so that all processes of a point run on hosts of one kind.
//
// With `hosts: any` the first result of a point, or its first job in flight, binds the point to the
// hardware of that host. While all hosts and results are of one kind, nothing is recorded. After that, a
// point without a record is bound to the first kind if any of its jobs has a result or is in flight, else
// to none.
//
// Points of one problem are rivals: they are measured on one kind of hardware, too, if it can run them,
// because times of different hardware are not compared. Stream chooses it.
//
// If the hardware of a point does not return, the point may be restarted on other hardware. Then its jobs
// get another JobId::host (restart), and the old results stay as they are.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "coordinator/core/core.hpp"
#include "coordinator/core/in_flight_jobs.hpp"
#include "coordinator/core/settled_jobs.hpp"

namespace kernsweep::coordinator {

class BoundPoints {
 public:
  // `space`: null if no point is bound, as with hosts: each. `measured_on`: jobs that earlier runs have
  // measured, by hardware.
  BoundPoints(std::shared_ptr<const JobSpace> space, std::map<std::uint32_t, AnsweredJobs> measured_on);

  // Whether points are bound to hardware.
  bool binds() const { return space_ != nullptr; }
  // More than one kind of hardware was seen. Before that, bindings have no effect.
  bool matters() const { return several_; }
  // Records that there is a host of this hardware, or a result of it.
  void meet(std::uint32_t hardware);

  // The hardware that the job's point is bound to; nothing: none. Checks each job of the point.
  std::optional<std::uint32_t> hardware_of(std::uint64_t index, const SettledJobs& settled_jobs,
                                           const InFlightJobs& in_flight_jobs) const;
  // Records that the job is with a host of this hardware, or has a result of it.
  void bind(std::uint64_t index, std::uint32_t hardware);
  // The hardware that was chosen for the problem of the job, or to which a rival of its point is bound;
  // nothing: none, it was given up, or the point has no rivals. Checks each rival once.
  std::optional<std::uint32_t> hardware_of_problem(std::uint64_t index, const SettledJobs& settled_jobs,
                                                   const InFlightJobs& in_flight_jobs);
  std::span<const std::uint64_t> rivals_of(std::uint64_t index) const {
    return space_->rivals_of(space_->point_of(index));
  }
  // Requires that the job's point has rivals.
  void choose_for_problem(std::uint64_t index, std::uint32_t hardware) {
    of_problem_[rivals_of(index).front()] = hardware;
  }
  // Whether the job, which is with a worker, may go to a worker of another kind, `hardware`.
  bool may_move_to(std::uint32_t hardware, std::uint64_t index, const SettledJobs& settled_jobs,
                   const InFlightJobs& in_flight_jobs);

  // Allows points that are bound to this hardware to be restarted. False: it was already given up.
  bool give_up(std::uint32_t hardware) { return given_up_.insert(hardware).second; }
  // Allows only this point to be restarted, because no host of its hardware can run it any more.
  void give_up_point(std::uint64_t index) { given_up_points_.insert(space_->point_of(index)); }
  // Whether a job that is bound to this hardware may be restarted.
  bool is_given_up(std::uint64_t index, std::uint32_t hardware) const {
    return given_up_.contains(hardware) ||
           (!given_up_points_.empty() && given_up_points_.contains(space_->point_of(index)));
  }
  // From now on this hardware is not chosen for problems, except for points that are bound to it. False: it
  // was already given up for problems.
  bool give_up_for_problems(std::uint32_t hardware) { return not_chosen_.insert(hardware).second; }
  void came_back(std::uint32_t hardware) {
    given_up_.erase(hardware);
    not_chosen_.erase(hardware);
  }
  // The hardware of all results of earlier runs.
  std::vector<std::uint32_t> measured_on() const;

  // The JobId::host under which this job is measured now.
  std::uint32_t host_of(std::uint64_t index) const;
  // Whether no job of the point is in flight, and it was restarted fewer than kTimesMax times.
  bool may_restart(std::uint64_t index, const InFlightJobs& in_flight_jobs) const;
  // Binds the point to this hardware, and gives its jobs a JobId::host that they never had: that of
  // `times`, or the next one if it is 0.
  void restart(std::uint64_t index, std::uint32_t hardware, std::uint32_t times = 0);
  // Whether the point was restarted fewer than `times` times.
  bool is_ahead(std::uint64_t index, std::uint32_t times) const;
  // The JobId::host of `times`, or of fewer, must never be used.
  void skip(std::uint64_t index, std::uint32_t times);
  // Records that an earlier run has restarted it `times` times.
  void was_restarted(std::uint64_t index, std::uint32_t times);
  // The first job of each point that was restarted, in any order.
  std::vector<std::uint64_t> restarted_points() const;

  std::vector<std::uint64_t> jobs_beside(std::uint64_t index) const;  // of the same point, itself included

  static constexpr std::uint32_t kTimesMax = 64;  // limit on restarts of a point

 private:
  struct Times {
    std::uint32_t now = 0, highest = 0;
  };
  bool may_be_chosen(std::uint32_t hardware) const {
    return !given_up_.contains(hardware) && !not_chosen_.contains(hardware);
  }
  std::optional<std::uint32_t> written(std::uint64_t point) const;
  // Whether no other job of its point binds it.
  bool is_alone(std::uint64_t index, const SettledJobs& settled_jobs,
                const InFlightJobs& in_flight_jobs) const;
  // Whether the job has a result, or is in flight.
  static bool binds(std::uint64_t index, std::uint32_t host, const SettledJobs& settled_jobs,
                    const InFlightJobs& in_flight_jobs);

  std::shared_ptr<const JobSpace> space_;
  std::map<std::uint32_t, AnsweredJobs> measured_on_;
  std::optional<std::uint32_t> first_;
  bool several_ = false;
  std::map<std::uint32_t, SettledJobs> on_;                      // points by hardware, each once
  std::unordered_map<std::uint64_t, std::uint32_t> rebound_;     // takes precedence over `on_`
  std::unordered_map<std::uint64_t, Times> times_;               // points that were restarted
  std::unordered_map<std::uint64_t, std::uint32_t> of_problem_;  // by the first point of the problem
  std::set<std::uint32_t> given_up_, not_chosen_;
  std::set<std::uint64_t> given_up_points_;
};

}  // namespace kernsweep::coordinator
