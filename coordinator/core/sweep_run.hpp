// One sweep while it runs: its streams, the jobs on their way, and what progress shows.
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

// Numbers beyond this are not ours: attempts count from 1.
constexpr std::uint32_t kAttemptMax = 1U << 31;
// Of one job: their number is a byte.
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
  InFlightJobs in_flight_jobs;
  DeferredReleases deferred;
  FaultAttribution fault_attribution;
  std::map<std::uint32_t, Stream> streams;  // by host number; `any` has one, number 0
  Tally counts;
  std::uint64_t sent = 0;            // jobs that are with a worker
  std::uint64_t storing = 0;         // jobs whose accepted outcome the store has not committed
  std::uint64_t stores_pending = 0;  // StoreResult actions that were not acknowledged
  Instant submitted_at;
  std::optional<Instant> started;      // the first job was sent
  std::optional<Instant> quiet_since;  // since then only unschedulable are left, or what waits for hosts
  bool looked_again = false;           // since then, and since the last host came
  std::optional<Ending> stopping;
  bool held = false;  // no job is sent
  Instant stopped_at;

  // A JobId::host may be this.
  bool is_host_of_jobs(std::uint32_t host) const;
  Stream* stream_of(std::uint32_t host_of_job);
  const Stream* stream_of(std::uint32_t host_of_job) const;
  Stream& stream_for(const HostFacts& host);  // made when it is missing
  // The job exists: its index is in the space and its host has a stream.
  bool knows(const JobId& job);
  AttemptId newest(const InFlightJob& in_flight) const {
    return {{id, in_flight.index, in_flight.host}, in_flight.number};
  }

  // An attempt that nobody here knows of may be gone on with: the sweep wants its job, and there is room
  // for other numbers after it.
  bool may_adopt(const AttemptId& attempt) const;
  // `retry` allows another attempt after this outcome.
  bool allows_retry(const InFlightJob& in_flight, Outcome outcome, bool throttled) const;
  // The only ways into `sent` and out of it: they keep the counts.
  void hand(InFlightJob& in_flight, WorkerId worker);
  void take_back(InFlightJob& in_flight, InFlightState state);
  InFlightJob& adopt(const AttemptId& attempt, WorkerId worker);
  // A job that nobody has had, to be settled at once by the coordinator itself.
  InFlightJob& insert(std::uint64_t index, std::uint32_t host) {
    return in_flight_jobs.insert(index, host, first_attempt);
  }
  // To be sent once more under a new number. not_on: rather on another host.
  void send_again(InFlightJob& in_flight, std::optional<std::uint32_t> not_on = std::nullopt);
  // hosts: each. Jobs of hosts that were here in an earlier run only, which another worker had and gave
  // back.
  void drop_jobs_of_absent_hosts();
  // Every job has its outcome, but for unschedulable.
  bool has_only_unschedulable() const { return has_only(&Stream::has_only_unschedulable); }
  // The same, or but for those that wait for hosts that are away.
  bool only_waits() const { return has_only(&Stream::only_waits); }
  std::uint64_t unschedulable() const;
  // Before it ends, or what has long waited is given up: false while unschedulable that were answered after
  // all are still being dropped, or what waits is asked once more of who is here.
  bool look_again(std::uint32_t& budget);
  // As Stream's.
  bool give_up_absent();

  struct Former {  // what a point was before it was begun anew
    std::uint64_t results = 0;
    std::vector<DeferredReleases::Deferred> deferred;
  };
  // The jobs of this one's point are measured once more, on this hardware. times: as
  // BoundPoints::begin_anew. Requires BoundPoints::may_begin_anew.
  Former begin_anew(std::uint64_t index, std::uint32_t hardware, std::uint32_t times = 0);
  // Of a job that is known: its point was not begun anew since, nor has only another life of the
  // coordinator begun it anew.
  bool is_current(const JobId& job) const;
  // Another life has begun its point anew, and so may this one, now, as it did.
  bool may_follow(const JobId& job);
  // Its point is measured on other hardware.
  bool is_unlike(const JobId& job, std::uint32_t hardware) const;
  // Jobs that nobody has, and that some host ever seen might take.
  bool has_jobs_waiting() const;
  Tally tally() const;
  std::optional<std::string> check_invariants() const;  // as Core's

 private:
  bool has_only(bool (Stream::*kind)() const) const;
  void know_begun_anew(const AnsweredJobs& answered);
};

}  // namespace kernsweep::coordinator
