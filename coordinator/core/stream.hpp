// The jobs of one sweep in order, and which kinds of hosts they fit. With hosts: any there is one stream,
// with hosts: each one per host.
//
// Each job is reached once, by index. If it fits the worker that needs a job, that worker gets it.
// Otherwise it is put into a ready queue; there is one for each set of host kinds (connected or not) that
// fit. A job that fits no kind ever seen is unschedulable. When a host of a new kind joins, each job in
// ready queues and each unschedulable one is checked once against it, over as many turns as that takes.
//
// A worker takes jobs from its ready queues first, the oldest first, then retries, then new jobs of the
// stream, and finally disturbed ones, so that the disturbance has time to end. So no job waits for ever
// behind others with equal requirements, and a job whose only host has left waits for that host.
//
// With hosts: any, a point is bound to the hardware that measured its first job (bound_points.hpp); its
// jobs do not fit hosts of other hardware.
//
// Failed jobs wait in lists by the host where they failed. Other hosts get them before all other jobs; the
// same host gets them only while no other host is connected.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/backlog.hpp"
#include "coordinator/core/bound_points.hpp"
#include "coordinator/core/core.hpp"
#include "coordinator/core/in_flight_jobs.hpp"
#include "coordinator/core/settled_jobs.hpp"

namespace kernsweep::coordinator {

// Number of a kind of hosts within one stream: hosts with equal cores, GPUs and traits (JobSpace::traits).
// Later kinds have larger numbers.
using HostKind = std::uint32_t;

struct Candidate {
  HostKind kind = 0;
  std::uint32_t host = 0;
  bool suspects = true;  // it may get jobs that failed before
};

// With more disturbed jobs than this (1 MB), they are retried before new jobs, so that memory stays
// bounded.
constexpr std::size_t kLaterMax = std::size_t{1} << 16;

enum class Dequeued : std::uint8_t { job, nothing, pause };  // pause: the turn's budget is spent

class Stream {
 public:
  // asked: as for ask_until(). measured_on: as in SweepSubmitted, for a stream of all hosts.
  Stream(std::shared_ptr<const JobSpace> space, std::uint32_t host, std::uint64_t asked,
         std::map<std::uint32_t, AnsweredJobs> measured_on = {});

  std::uint32_t host() const { return host_; }
  // The JobId::host of this job.
  std::uint32_t host_of(std::uint64_t index) const { return host_ == 0 ? bound_.host_of(index) : host_; }
  BoundPoints& bound() { return bound_; }
  const BoundPoints& bound() const { return bound_; }
  SettledJobs& settled_jobs() { return settled_jobs_; }
  const SettledJobs& settled_jobs() const { return settled_jobs_; }

  // Jobs from this index on are not requested yet: none of them is reached. Never decreases.
  void ask_until(std::uint64_t index);

  // True: jobs that were set aside must be checked again.
  bool join(const HostFacts& facts);
  void leave(const HostFacts& facts);
  // Returns nothing if no worker on such a host has joined.
  std::optional<HostKind> kind_of(const HostFacts& facts) const;
  // A host has lost GPUs or cores, and will not get them back. So jobs that fit only its former kind no
  // longer wait for it. True: jobs that were set aside must be checked again.
  bool forget_lost_units(const HostFacts& facts);
  bool others_here(std::uint32_t host) const { return hosts_here_.size() > hosts_here_.count(host); }
  bool joined_ever() const { return !kinds_.empty(); }

  // The next job for this candidate. Each unwanted job that is skipped, and each check whether a job fits a
  // kind, takes one from `budget`; a job in the candidate's own queue costs nothing unless points are
  // bound. If the job's point is bound to hardware that was given up, the point must be restarted
  // (BoundPoints).
  Dequeued dequeue(const Candidate& candidate, InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                   std::uint64_t& index);
  // Whether the job still waits: it was neither answered nor adopted from a worker since it was set aside.
  bool open(const Waiting& job, const InFlightJobs& in_flight_jobs) const;
  void requeue(const Waiting& job) { revisit_.push(job); }
  // The same, but only when no other job is left.
  void requeue_last(const Waiting& job) {
    later_.size() < kLaterMax ? later_.push_back(job) : requeue(job);
  }
  // A job with a result must be measured again. False: it had none.
  bool reopen(std::uint64_t index);
  void requeue_elsewhere(const Waiting& job, std::uint32_t not_on) { bad_on_[not_on].push_back(job); }
  // Skips unwanted jobs, even if no worker needs jobs. False: the budget is spent.
  bool advance(InFlightJobs& in_flight_jobs, std::uint32_t& budget);

  bool scanned() const { return cursor_ >= asked_; }
  // Only jobs that fit no host ever seen are left.
  bool has_only_unschedulable() const { return only_set_aside() && ready_queues_.empty(); }
  // Only these, or jobs that wait for disconnected hosts, are left.
  bool only_waits() const;
  std::uint64_t cursor() const { return cursor_; }
  bool fits(std::uint64_t index, const HostFacts& facts) const;
  bool fits_somebody_here(std::uint64_t index, const InFlightJobs& in_flight_jobs) const;
  // Why each kind of connected host cannot run it: a few lines, one per kind.
  std::vector<std::string> why_not(std::uint64_t index, const InFlightJobs& in_flight_jobs) const;
  std::uint64_t set_aside() const;
  std::uint64_t unschedulable() const { return unschedulable_.count() + unchecked_.count(); }
  // Requires unschedulable() > 0.
  std::uint64_t first_unschedulable() const {
    return (unchecked_.empty() ? unschedulable_ : unchecked_).front();
  }
  // Takes the next unschedulable job. Nothing: there is none. Jobs that were answered meanwhile, by a
  // worker that still had them, are dropped; each costs one of `budget`.
  std::optional<Waiting> pop_unschedulable(const InFlightJobs& in_flight_jobs, std::uint32_t& budget);
  // Drops unschedulable jobs that were answered meanwhile. False: the budget is spent; call it again.
  bool check_unschedulable(const InFlightJobs& in_flight_jobs, std::uint32_t& budget);
  void begin_to_check_unschedulable() { unchecked_.append(std::exchange(unschedulable_, {})); }
  // If points are bound: jobs that wait for disconnected hosts, and unschedulable ones, are checked again
  // against the connected hosts. False: there are no such jobs.
  bool recheck();
  // For an unschedulable job: if no host of the hardware that its point is bound to can run it any more,
  // and another connected host can, its point may be restarted there. False: that is not the case.
  bool give_up_point(std::uint64_t index, const InFlightJobs& in_flight_jobs);
  // Points of problems that are not bound to absent hardware no longer wait for it. True: some of it was
  // waited for.
  bool give_up_absent_for_problems();
  // Gives up all absent hardware (BoundPoints). True: some of it was not given up before.
  bool give_up_absent();
  std::string why_unschedulable(std::uint64_t index) const;

  std::uint64_t unwanted() const { return unwanted_; }
  const std::vector<std::uint64_t>& unwanted_by() const { return unwanted_by_; }  // rule
  std::uint64_t waiting_for_a_host() const;  // jobs that fit no connected host
  std::size_t bytes() const;

  struct Presence {  // of workers that may get jobs
    std::map<HostKind, std::uint32_t> kinds;
    std::map<std::uint32_t, std::uint32_t> hosts;
    friend bool operator==(const Presence&, const Presence&) = default;
  };
  Presence presence() const;
  // As Core's. `in_flight_jobs`: of the same sweep.
  std::optional<std::string> check_invariants(const InFlightJobs& in_flight_jobs) const;

 private:
  friend struct TableBreaker;  // of tests
  struct Kind {
    HostFacts facts;  // of one of its hosts, for messages; of a connected one if there is any
    std::uint32_t present = 0;
    std::map<std::uint32_t, std::uint32_t> workers;  // by host, including disconnected hosts
  };
  using Need = std::vector<HostKind>;  // ascending
  // Jobs that were set aside before new kinds joined: they fit `need`, and must be checked against the
  // kinds from `from` on.
  struct Anew {
    Need need;
    HostKind from = 0;
    Backlog jobs;
  };
  struct HostClass {
    std::uint32_t cores = 0, gpus = 0, traits = 0;
    std::uint32_t hardware = 0;  // if points are bound
    friend auto operator<=>(const HostClass&, const HostClass&) = default;
  };

  static void spend(std::uint32_t& budget) {
    if (budget > 0) --budget;
  }
  std::optional<std::string> check_places(const InFlightJobs& in_flight_jobs) const;
  std::optional<std::string> check_ready_queues() const;
  bool crowded() const;
  bool only_set_aside() const {
    return scanned() && revisit_.empty() && anew_.empty() && bad_on_.empty() && later_.empty();
  }
  bool is_anybody_here(const Need& need) const;
  std::set<std::uint32_t> absent_hardware() const;
  // Nothing: its point is not bound. Takes one from `budget` if points are bound.
  std::optional<std::uint32_t> bound_to(std::uint64_t index, const InFlightJobs& in_flight_jobs,
                                        std::uint32_t& budget) const;
  // The only hardware that may run the job; nothing: any. It is the one that its point is bound to,
  // otherwise the one that its rivals are measured on, unless that cannot run it. If none is chosen for the
  // rivals, it is the candidate's, if that can run at least half of them, or as many as any other connected
  // hardware.
  std::optional<std::uint32_t> only_on(std::uint64_t index, HostKind candidate,
                                       const InFlightJobs& in_flight_jobs, std::uint32_t& budget);
  std::uint32_t most_able(std::span<const std::uint64_t> points, std::uint32_t first,
                          std::uint32_t& budget) const;
  void forget(HostKind kind);
  HostClass host_class(const HostFacts& facts) const;
  std::string why_not(std::uint64_t index, const HostFacts& facts) const;
  Dequeued dequeue_suspect(const Candidate& candidate, const InFlightJobs& in_flight_jobs,
                           std::uint32_t& budget, std::uint64_t& index);
  Dequeued dequeue_ready(HostKind kind, const InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                         std::uint64_t& index);
  Dequeued dequeue_last(HostKind kind, const InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                        std::uint64_t& index);
  Dequeued dequeue_restarted(HostKind kind, const InFlightJobs& in_flight_jobs, std::uint32_t& budget,
                             std::uint64_t& index);
  // True: the job fits this kind. Otherwise it is put into its queue: it fits `need`, and is checked
  // against the kinds from `from` on.
  bool take(const Waiting& job, HostKind kind, const InFlightJobs& in_flight_jobs, std::uint32_t& budget,
            Need need = {}, HostKind from = 0);

  std::shared_ptr<const JobSpace> space_;
  std::uint32_t host_;
  SettledJobs settled_jobs_;
  BoundPoints bound_;
  std::uint64_t asked_ = 0;
  std::uint64_t cursor_ = 0;
  bool cursor_checked_ = false;
  std::uint64_t unwanted_ = 0;
  std::vector<std::uint64_t> unwanted_by_;
  std::map<HostKind, Kind> kinds_;
  std::map<HostClass, HostKind> numbers_;  // of those
  HostKind next_kind_ = 0;
  std::map<Need, Backlog> ready_queues_;
  Backlog unschedulable_;
  Backlog unchecked_;                                    // unschedulable; some may have been answered
  Backlog revisit_;                                      // to be checked against every kind
  std::deque<Waiting> later_;                            // the same, after all other jobs
  std::deque<Anew> anew_;                                // none is empty
  std::map<std::uint32_t, std::deque<Waiting>> bad_on_;  // failed before, by host; none is empty
  std::map<std::uint32_t, std::uint32_t> hosts_here_;    // workers of each
};

}  // namespace kernsweep::coordinator
