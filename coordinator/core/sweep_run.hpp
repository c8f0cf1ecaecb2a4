// One running sweep: its streams, its in-flight jobs, and its counts for progress.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/core/core.hpp"
#include "coordinator/core/deferred.hpp"
#include "coordinator/core/fault_attribution.hpp"
#include "coordinator/core/in_flight_jobs.hpp"
#include "coordinator/core/stream.hpp"

namespace kernsweep::coordinator {

// The largest valid attempt number; attempts count from 1.
constexpr std::uint32_t kAttemptMax = 1U << 31;
// Pending stores of one job at most, because their count is one byte.
constexpr std::uint8_t kStoresOfOneJobMax = 200;

struct SweepRun {
  explicit SweepRun(const SweepSubmitted& submitted);

  SweepId id;
  std::shared_ptr<const JobSpace> space;
  Hosts hosts;
  std::int32_t priority;
  Duration time_limit;
  std::uint32_t first_attempt;
  StoredAttempts stored_attempts;
  std::uint64_t asked;  // jobs below it are requested; at most the size of the space
  bool may_ask;         // whether to request more
  bool asking = false;  // AskMore is not answered
  InFlightJobs in_flight_jobs;
  DeferredReleases deferred;
  FaultAttribution fault_attribution;
  std::map<std::uint32_t, Stream> streams;  // by host number; with `any` there is one, number 0
  Tally counts;
  std::uint64_t sent = 0;            // jobs that are with a worker
  std::uint64_t storing = 0;         // jobs whose accepted outcome the store has not committed
  std::uint64_t stores_pending = 0;  // StoreResult actions that were not acknowledged
  Instant submitted_at;
  std::optional<Instant> started;  // the first job was sent
  // Since when only unschedulable jobs, or jobs that wait for hosts, are left.
  std::optional<Instant> quiet_since;
  bool rechecked = false;  // recheck() has finished since then, and since the last host joined
  std::optional<Ending> stopping;
  bool held = false;  // no job is sent
  Instant stopped_at;

  // Whether `host` is a valid JobId::host.
  bool is_host_of_jobs(std::uint32_t host) const;
  Stream* stream_of(std::uint32_t host_of_job);
  const Stream* stream_of(std::uint32_t host_of_job) const;
  Stream& stream_for(const HostFacts& host);  // made when it is missing
  // The answer to AskMore. Requires that `until` is at least `asked`.
  void ask_until(std::uint64_t until);
  // Whether the job exists: its index is in the space and its host has a stream.
  bool knows(const JobId& job);
  AttemptId newest(const InFlightJob& in_flight) const {
    return {{id, in_flight.index, in_flight.host}, in_flight.number};
  }

  // Whether an attempt that is not known here may be continued: its job is not answered, and further
  // attempt numbers are possible.
  bool may_adopt(const AttemptId& attempt) const;
  // `retry` allows another attempt after this outcome.
  bool allows_retry(const InFlightJob& in_flight, Outcome outcome, bool throttled) const;
  // The only functions that enter and leave the state `sent`: they update the counts.
  void hand(InFlightJob& in_flight, WorkerId worker);
  void take_back(InFlightJob& in_flight, InFlightState state);
  InFlightJob& adopt(const AttemptId& attempt, WorkerId worker);
  // Adds a job that no worker has had, to be settled at once by the coordinator itself.
  InFlightJob& insert(std::uint64_t index, std::uint32_t host) {
    return in_flight_jobs.insert(index, host, first_attempt);
  }
  // The job is to be sent again with a new number. not_on: prefer another host than this one. last: only
  // when no other job is left.
  void send_again(InFlightJob& in_flight, std::optional<std::uint32_t> not_on = std::nullopt,
                  bool last = false);
  // With hosts: each: drops returned jobs of hosts that were connected only in an earlier run.
  void drop_jobs_of_absent_hosts();
  // Every job has its outcome, except unschedulable ones.
  bool has_only_unschedulable() const { return has_only(&Stream::has_only_unschedulable); }
  // Every job has its outcome, except these and jobs that wait for disconnected hosts.
  bool only_waits() const { return has_only(&Stream::only_waits); }
  std::uint64_t unschedulable() const;
  // Must be called before the sweep ends or waiting jobs are given up. False: unschedulable jobs that were
  // answered meanwhile are still being dropped, or waiting jobs are being checked again.
  bool recheck(std::uint32_t& budget);
  // See Stream.
  bool give_up_absent();
  bool give_up_absent_for_problems();

  struct Former {  // the state of a point before its restart
    std::uint64_t results = 0;
    std::vector<DeferredReleases::Deferred> deferred;
  };
  // All jobs of this job's point are re-measured, on this hardware. times: as in BoundPoints::restart.
  // Requires BoundPoints::may_restart.
  Former restart(std::uint64_t index, std::uint32_t hardware, std::uint32_t times = 0);
  // Requires a job that is known. Whether its JobId::host is the current one of its point: the point was
  // not restarted since, nor only before a restart of the coordinator.
  bool is_current(const JobId& job) const;
  // Whether its point was restarted before a restart of the coordinator, and may be restarted in the same
  // way now.
  bool may_follow(const JobId& job);
  // Whether its point is being measured on other hardware.
  bool is_unlike(const JobId& job, std::uint32_t hardware) const;
  // Whether there are jobs that no worker has and that some host ever seen might run.
  bool has_jobs_waiting() const;
  // Whether each wanted job of a connected host has its outcome, stored: nothing is left to measure.
  bool is_answered() const;
  Tally tally() const;
  std::optional<std::string> check_invariants() const;  // as Core's

 private:
  bool has_only(bool (Stream::*kind)() const) const;
  void know_restarted(const AnsweredJobs& answered);
};

}  // namespace kernsweep::coordinator
